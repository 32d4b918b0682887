import { z } from 'zod';
import { defineRouter, route } from '../http/contract.ts';
import { PageQuery } from '../http/page.ts';
import { id, moment } from './common.ts';

export const Provider = z.enum(['openai', 'anthropic', 'private-llm'], {
  error: 'must be one of openai, anthropic, private-llm',
});
export type Provider = z.output<typeof Provider>;

export const KeyStatus = z.enum(['active', 'invalid']);
export const ScopeType = z.enum(['tenant', 'bot', 'agent'], { error: 'must be one of tenant, bot, agent' });

/** A stored model-provider key. Its material is never part of an answer. */
export const Key = z
  .object({
    keyId: id,
    tenantId: id,
    provider: Provider,
    maskedKey: z.string().describe('The last 4 characters at most.'),
    keyType: z.string(),
    scopeType: ScopeType,
    scopeId: id.nullable(),
    status: KeyStatus,
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Key' });
export type Key = z.input<typeof Key>;

export const CreateKeyBody = z
  .object({
    provider: Provider,
    apiKey: z
      .string()
      .min(1)
      .max(1000)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces or line breaks'),
    keyType: z.literal('byok', { error: 'must be byok' }).default('byok'),
    scopeType: ScopeType.default('tenant'),
    scopeId: id.nullish(),
  })
  .superRefine((body, ctx) => {
    if (body.scopeType !== 'tenant' && !body.scopeId) {
      ctx.addIssue({
        code: 'custom',
        path: ['scopeId'],
        message: `is required for scopeType ${body.scopeType}`,
      });
    }
  });
export type CreateKeyBody = z.output<typeof CreateKeyBody>;

/** How a key was chosen: the same record that a chat's key resolution makes. */
export const Resolution = z
  .object({
    keyId: id.nullable(),
    source: z.enum(['agent', 'bot', 'tenant', 'platform', 'none']),
    considered: z.array(z.object({ keyId: id, reason: z.string() })),
  })
  .meta({ id: 'Resolution' });
export type Resolution = z.output<typeof Resolution>;

export const keysRouter = defineRouter({
  basePath: '/api/keys',
  service: 'keys',
  description: "A tenant's own model-provider keys. They are no credentials for this API.",
  routes: {
    listKeys: route({
      method: 'get',
      path: '/:tenantId',
      access: 'admin',
      summary: 'List the keys, masked.',
      query: PageQuery,
      response: z.array(Key),
      paged: true,
    }),
    createKey: route({
      method: 'post',
      path: '/:tenantId',
      access: 'admin',
      summary: 'Store a key. It is sealed before it is written.',
      body: CreateKeyBody,
      response: Key,
      status: 201,
      errors: [422],
    }),
    invalidateKey: route({
      method: 'put',
      path: '/:tenantId/:keyId/invalidate',
      access: 'admin',
      summary: 'Mark a key invalid: from this answer on it is chosen no more.',
      response: Key,
    }),
    deleteKey: route({
      method: 'delete',
      path: '/:tenantId/:keyId',
      access: 'admin',
      summary: 'Delete a key.',
    }),
    resolveKey: route({
      method: 'get',
      path: '/:tenantId/resolve/:provider',
      access: 'admin',
      summary: 'Which key a chat would use, and why; in the order agent, bot, tenant, platform.',
      params: { provider: Provider },
      query: z.object({ botId: id.optional(), agentId: id.optional() }),
      response: Resolution,
    }),
  },
});
