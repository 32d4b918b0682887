import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { Provider } from './provider.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';

const KeyStatus = z.enum(['active', 'invalid']);
export const ScopeType = z.enum(['tenant', 'bot', 'agent'], { error: 'must be one of tenant, bot, agent' });

/** The most keys of one tenant. Each model call looks at all keys of its scopes. */
export const maxKeys = 1000;

/** The provider's last answer about a key. */
export const KeyValidation = z
  .object({
    status: z.enum(['valid', 'invalid', 'unknown']),
    detail: z.string().optional().describe("An explanation in Botyard's words; never the provider's."),
    checkedAt: moment,
  })
  .meta({ id: 'KeyValidation', description: "The provider's last answer about a key." });
export type KeyValidation = z.input<typeof KeyValidation>;

export const Validation = KeyValidation.extend({
  keyId: id,
  isRemembered: z
    .boolean()
    .describe(
      'Whether this answer is cached: the provider was asked less than 5 seconds ago and was not asked again.',
    ),
}).meta({ id: 'Validation', description: "The provider's answer about a key, and whether it is cached." });
export type Validation = z.input<typeof Validation>;

/** A stored model-provider key. Responses never contain its material. */
export const Key = z
  .object({
    keyId: id,
    tenantId: id,
    provider: Provider,
    maskedKey: z.string().describe('At most the last 4 characters of the key.'),
    keyType: z.string().describe('`byok`: a key that the tenant provided.'),
    scopeType: ScopeType,
    scopeId: id.nullable().describe('The bot or agent that the key is for. `null` for the whole tenant.'),
    status: KeyStatus,
    statusReason: z
      .enum(['person', 'provider'])
      .nullable()
      .describe('The source of the invalid mark: a person, or the provider by refusing the key.'),
    invalidatedAt: moment.nullable(),
    coolUntil: moment
      .nullable()
      .describe(
        'Until when the provider limits the key for one or more models. Calls of these models use the next key in order.',
      ),
    validation: KeyValidation.nullable().describe('The last validation.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Key', description: 'A stored model-provider key. Responses never contain its material.' });
export type Key = z.input<typeof Key>;

export const CreateKeyBody = z
  .object({
    provider: Provider,
    apiKey: z
      .string()
      .min(1)
      .max(1000)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces or line breaks')
      .describe(
        'The key as issued by the provider. It is encrypted before it is stored, and never shown again.',
      ),
    keyType: z.literal('byok', { error: 'must be byok' }).default('byok'),
    scopeType: ScopeType.default('tenant'),
    scopeId: id
      .nullish()
      .describe('The bot or agent that the key is for. Omitted or `null` for the whole tenant.'),
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
      .array(z.object({ keyId: id, reason: z.string().describe('Why the key was chosen or skipped.') }))
      .describe("The tenant's keys that were considered, in order."),
  })
  .meta({ id: 'Resolution', description: 'The choice of a key, and the keys that were considered.' });
export type Resolution = z.output<typeof Resolution>;

/** Includes the result for the platform's key. */
export const ExplainedResolution = Resolution.extend({
  platformKey: z
    .object({
      state: z.enum(['used', 'used_up', 'unknown']),
      reason: z.string().describe('Why the key is or is not used.'),
    })
    .optional()
    .describe("Whether the platform's key is used, and why. Set if no key of the tenant can be used."),
}).meta({
  id: 'ExplainedResolution',
  description: "The choice of a key for a call, and whether the platform's key is used.",
});
export type ExplainedResolution = z.output<typeof ExplainedResolution>;

const ListKeysQuery = sortedPageQuery(
  { createdAt: 'id', updatedAt: 'moment', provider: 'text' },
  {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe('Part of the masked key, which shows the last characters.'),
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
  description: "A tenant's own model-provider keys. They are not credentials for this API.",
  routes: {
    listKeys: admin.list('/:tenantId', {
      summary: "List a tenant's keys, masked.",
      query: ListKeysQuery,
      response: z.array(Key),
    }),
    createKey: admin.post('/:tenantId', {
      summary: 'Store a key.',
      description: `The key is encrypted before it is stored. Returns 409 if the tenant has ${maxKeys} keys.`,
      body: CreateKeyBody,
      response: Key,
      status: 201,
      errors: [409, 422],
    }),
    validateKey: admin.post('/:tenantId/:keyId/validate', {
      summary: 'Ask the provider whether it accepts a key.',
      description:
        'A refused key is marked invalid. A key that the provider refused before and accepts now becomes active again, ' +
        'unless a person invalidated it. The provider is asked about a key at most once every 5 seconds.',
      response: Validation,
    }),
    invalidateKey: admin.put('/:tenantId/:keyId/invalidate', {
      summary: 'Mark a key invalid.',
      description: 'Once the response is sent, the key is no longer chosen.',
      response: Key,
    }),
    deleteKey: admin.delete('/:tenantId/:keyId', { summary: 'Delete a key.' }),
    resolveKey: admin.get('/:tenantId/resolve/:provider', {
      summary: 'Get the key that a chat would use, and why.',
      description:
        "Keys are considered in the order agent, bot, tenant, platform. The platform's key is not used while the tenant's " +
        'allowance for it is used up; the source is then `none`.',
      params: { provider: Provider },
      query: z.object({ botId: id.optional(), agentId: id.optional() }),
      response: ExplainedResolution,
    }),
  },
});
