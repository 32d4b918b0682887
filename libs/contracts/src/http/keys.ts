import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { Provider } from './provider.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';

const KeyStatus = z.enum(['active', 'invalid']);
export const ScopeType = z.enum(['tenant', 'bot', 'agent'], { error: 'must be one of tenant, bot, agent' });

/** The provider's last answer about a key. */
export const KeyValidation = z
  .object({
    status: z.enum(['valid', 'invalid', 'unknown']),
    detail: z.string().optional().describe('A sentence of ours; never the words of the provider.'),
    checkedAt: moment,
  })
  .meta({ id: 'KeyValidation', description: 'What the provider said of a key when it was asked last.' });
export type KeyValidation = z.input<typeof KeyValidation>;

export const Validation = KeyValidation.extend({
  keyId: id,
  isRemembered: z
    .boolean()
    .describe('The provider was asked less than 5 seconds ago, and was not asked again.'),
}).meta({
  id: 'Validation',
  description: 'What the provider says of a key, and whether it was asked just now.',
});
export type Validation = z.input<typeof Validation>;

/** A stored model-provider key. Answers never contain its material. */
export const Key = z
  .object({
    keyId: id,
    tenantId: id,
    provider: Provider,
    maskedKey: z.string().describe('The last 4 characters at most.'),
    keyType: z.string().describe('`byok`: a key that the tenant brought along.'),
    scopeType: ScopeType,
    scopeId: id.nullable().describe('The bot or agent that it is for; `null` for the whole tenant.'),
    status: KeyStatus,
    statusReason: z
      .enum(['person', 'provider'])
      .nullable()
      .describe('Who marked the key invalid: a person, or the provider by refusing it.'),
    invalidatedAt: moment.nullable(),
    coolUntil: moment
      .nullable()
      .describe(
        'The provider limits the key, for one model or more: until then the next one in order is used for these.',
      ),
    validation: KeyValidation.nullable().describe('The last validation.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Key', description: 'A stored model-provider key. Its material is never part of an answer.' });
export type Key = z.input<typeof Key>;

export const CreateKeyBody = z
  .object({
    provider: Provider,
    apiKey: z
      .string()
      .min(1)
      .max(1000)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces or line breaks')
      .describe('The key as the provider gave it. It is sealed and never shown again.'),
    keyType: z.literal('byok', { error: 'must be byok' }).default('byok'),
    scopeType: ScopeType.default('tenant'),
    scopeId: id
      .nullish()
      .describe('The bot or agent that it is for. Left out, or `null`, for the whole tenant.'),
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

/** How a key was chosen: the same record that key resolution makes in a chat. */
export const Resolution = z
  .object({
    keyId: id.nullable(),
    source: z.enum(['agent', 'bot', 'tenant', 'platform', 'none']),
    considered: z
      .array(z.object({ keyId: id, reason: z.string().describe('Why it was taken or passed over.') }))
      .describe("The tenant's keys that were looked at, in order."),
  })
  .meta({ id: 'Resolution', description: 'How a key was chosen.' });
export type Resolution = z.output<typeof Resolution>;

/** Includes the result for the platform's key. */
export const ExplainedResolution = Resolution.extend({
  platformKey: z
    .object({
      state: z.enum(['used', 'used_up', 'unknown']),
      reason: z.string().describe('Why it is used, or why not.'),
    })
    .optional()
    .describe("Where only the platform's key is left: whether it is used, and why or why not."),
}).meta({
  id: 'ExplainedResolution',
  description: "How a key is chosen for a call, and what became of the platform's key.",
});
export type ExplainedResolution = z.output<typeof ExplainedResolution>;

const ListKeysQuery = sortedPageQuery(
  { createdAt: 'id', updatedAt: 'moment', provider: 'text' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe('A part of the masked key: its last characters.'),
      provider: Provider.optional(),
      status: KeyStatus.optional(),
      scopeType: ScopeType.optional(),
      scopeId: id.optional().describe('Only keys for this bot or agent.'),
    },
  },
);
export type ListKeysQuery = z.output<typeof ListKeysQuery>;

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
      query: ListKeysQuery,
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
    validateKey: route({
      method: 'post',
      path: '/:tenantId/:keyId/validate',
      access: 'admin',
      summary:
        'Ask the provider whether it takes the key. A refused key is marked invalid; one that the provider had refused before and takes now is active again, unless a person invalidated it. The provider is asked at most once in 5 seconds for a key.',
      response: Validation,
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
      description:
        'The platform’s key is not used while the tenant’s allowance for it is used up: then the source is `none`.',
      params: { provider: Provider },
      query: z.object({ botId: id.optional(), agentId: id.optional() }),
      response: ExplainedResolution,
    }),
  },
});
