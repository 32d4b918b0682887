import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { Identity } from '../identity.ts';
import { defineEvent, defineRequest } from './definition.ts';
import { ChatPlace } from './webhooks.ts';

const tenantId = z.uuid();
const botId = z.uuid();
/** A bot as other services know it. `revision` grows with every change, so that late events can be recognized. */
export const BotState = z.object({
  tenantId,
  botId,
  name: z.string(),
  agentIds: z.array(z.uuid()),
  isEnabled: z.boolean(),
  joinWindowMs: z.number().int(),
  /** Time limit of an answer, and the time after which the chat is told of a delay; 0: never. */
  answerDeadlineSeconds: z.number().int().optional(),
  delayNoticeSeconds: z.number().int().optional(),
  /** For how long after a question its answer is worth sending. Absent: an hour. */
  answerWithinMinutes: z.number().int().positive().optional(),
  /** A chat that a person took over goes back to the bot after this time without a word of theirs. Absent: an hour. */
  handbackAfterMinutes: z.number().int().positive().optional(),
  /** Language for people whose own isn't known. Absent: English. */
  defaultLanguage: z.string().optional(),
  /** The bot's own texts by language and key. Absent: none; unknown keys are ignored. */
  words: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  revision: z.number().int(),
});
export type BotState = z.output<typeof BotState>;

export const botSaved = defineEvent('tenancy.bot.saved.v1', {
  summary: 'A bot was created or updated.',
  schema: BotState,
});

export const botDeleted = defineEvent('tenancy.bot.deleted.v1', {
  summary: 'A bot was deleted; its integrations are announced on their own.',
  schema: z.object({ tenantId, botId }),
});

/** The binding of a sealed integration secret; the same on both sides of the bus. */
export const integrationBinding = (state: { tenantId: string; integrationId: string }) => ({
  purpose: 'integration',
  tenantId: state.tenantId,
  recordId: state.integrationId,
});

/**
 * An integration as the webhooks service needs it. Secrets travel sealed by `SECRETS_KEYS` and bound to the
 * integration.
 */
export const IntegrationState = z.object({
  tenantId,
  integrationId: z.uuid(),
  botId,
  integrationType: PlatformName,
  isEnabled: z.boolean(),
  sealedSecrets: z.string(),
  /** The address that people write to; only for e-mail integrations. */
  address: z.string().optional(),
  /** The domain of the address, if the tenant has proven that it is theirs. */
  provenDomain: z.string().optional(),
  revision: z.number().int(),
});
export type IntegrationState = z.output<typeof IntegrationState>;

export const integrationSaved = defineEvent('tenancy.integration.saved.v1', {
  summary:
    'An integration was created or updated: the webhooks service registers what changed with the platform.',
  schema: IntegrationState,
});

export const integrationDeleted = defineEvent('tenancy.integration.deleted.v1', {
  summary: 'An integration was deleted: the webhooks service removes its webhook from the platform.',
  schema: z.object({ tenantId, integrationId: z.uuid(), botId, revision: z.number().int() }),
});

export const tenantDeleted = defineEvent('tenancy.tenant.deleted.v1', {
  summary: 'A tenant was deleted: every service removes what it keeps of it.',
  schema: z.object({ tenantId }),
});

export const accessChanged = defineEvent('tenancy.access.changed.v1', {
  summary: 'What a person may reach has changed: nobody may remember their access any longer.',
  schema: z.object({ idpUserId: z.string(), tenantId: z.uuid().optional() }),
});

export const authorizationChanged = defineEvent('tenancy.authorization.changed.v1', {
  summary:
    'Relationships, policies or chat rules of a tenant have changed: nobody may remember a decision in it any longer.',
  schema: z.object({ tenantId }),
});

const [, UserIdentity, TokenIdentity] = Identity.options;
const role = z.enum(['admin', 'member']);

const ResolvedCaller = z.object({
  userId: z.string(),
  idpUserId: z.string(),
  sessionId: z.string(),
  email: z.string().nullable(),
  isOperator: z.boolean(),
  roles: z.array(z.object({ tenantId, role })),
  activeTenantId: z.string().nullable(),
  /** Ties to single bots that go beyond the role in their tenant. */
  bots: z.array(z.object({ botId, tenantId, role })).optional(),
  /** Tenants in reach with policies of their own: `tenancy.access.decide.v1` decides about actions there. */
  policedTenantIds: z.array(tenantId).optional(),
  /** Tenants that they were added to and have not come to yet. */
  unvisitedTenantIds: z.array(tenantId).optional(),
  /** Set for a program with an API token; absent for a person. */
  token: z.object({ tokenId: z.uuid(), expiresAt: z.iso.datetime().nullable() }).optional(),
});
export type ResolvedCaller = z.output<typeof ResolvedCaller>;

export const resolveCaller = defineRequest('tenancy.caller.resolve.v1', {
  summary: 'Who the identity is and which tenants it reaches; a person not known yet is created.',
  callers: ['keys', 'usage', 'webhooks', 'agents'],
  request: z.object({
    identity: z.discriminatedUnion('kind', [UserIdentity, TokenIdentity]),
    /** The tenant that the request names: its member has come there. */
    visitedTenantId: tenantId.optional(),
  }),
  response: z.object({
    caller: ResolvedCaller.nullable(),
  }),
  timeoutMs: 2000,
});

export const findApiToken = defineRequest('tenancy.token.find.v1', {
  summary:
    'The living API token of a hash, for the gate; the token itself never travels. May be remembered until ' +
    '`authorizationChanged` of its tenant, 30 s at most, and no longer than it lives.',
  callers: ['gateway'],
  request: z.object({
    tokenHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the token, in hex.'),
  }),
  response: z.object({
    token: z
      .object({
        tokenId: z.uuid(),
        tenantId,
        expiresInMs: z.number().nullable().describe('From now on, by the clock of the database.'),
      })
      .nullable(),
  }),
  timeoutMs: 2000,
});

export const tenantExists = defineRequest('tenancy.tenant.exists.v1', {
  summary: 'Whether a tenant exists; asked for operators, who reach every tenant.',
  callers: ['keys', 'usage', 'webhooks', 'agents'],
  request: z.object({ tenantId }),
  response: z.object({ exists: z.boolean() }),
  timeoutMs: 2000,
});

export const decideAccess = defineRequest('tenancy.access.decide.v1', {
  summary:
    'Where policies refuse what relationships allow a caller. Never remembered: they look at the request and the time.',
  callers: ['keys', 'usage', 'webhooks', 'agents'],
  request: z.object({
    caller: z.object({
      userId: z.string(),
      idpUserId: z.string(),
      isOperator: z.boolean(),
      /** Absent for a person. */
      isToken: z.boolean().optional(),
    }),
    action: z.enum(['read', 'manage']),
    places: z
      .array(
        z.object({ tenantId, botId: botId.nullable(), relation: z.enum(['admin', 'member', 'operator']) }),
      )
      .min(1),
    request: z.object({ address: z.string(), router: z.string(), method: z.string() }),
  }),
  response: z.object({
    refusals: z.array(
      z.object({ tenantId, policies: z.array(z.string()), reason: z.enum(['policy', 'policy failed']) }),
    ),
  }),
  timeoutMs: 2000,
});

export const findIntegration = defineRequest('tenancy.integration.find.v1', {
  summary:
    "A bot's integration of a type, or the one of an e-mail address; asked when a delivery arrives before the integration's event.",
  callers: ['webhooks'],
  request: z.union([z.object({ botId, integrationType: PlatformName }), z.object({ address: z.string() })]),
  response: z.object({ integration: IntegrationState.nullable() }),
  timeoutMs: 1000,
});

export const findBot = defineRequest('tenancy.bot.find.v1', {
  summary:
    "A bot; asked when a message arrives before the bot's event, for the name that the page of a link shows, and before a key is stored for it.",
  callers: ['keys', 'agents', 'webhooks'],
  request: z.object({ tenantId, botId }),
  response: z.object({ bot: BotState.nullable() }),
  timeoutMs: 1000,
});

/** Why a bot does not hear a person: they are muted, the chat has no grant, or a policy of the tenant refuses. */
export const Refusal = z.enum(['muted', 'channel not granted', 'private chat not granted', 'policy']);
export type Refusal = z.output<typeof Refusal>;

export const admitMessages = defineRequest('tenancy.message.admit.v1', {
  summary: "Whom of these people a bot hears in a chat: moderation, grants and the tenant's policies.",
  callers: ['agents'],
  request: z.object({
    tenantId,
    botId,
    platform: PlatformName,
    chat: ChatPlace.pick({ platformChatId: true, kind: true, migratedFrom: true }),
    senders: z.array(z.object({ platformUserId: z.string(), name: z.string() })).min(1),
  }),
  response: z.object({
    refusals: z.array(z.object({ platformUserId: z.string(), refusal: Refusal })),
    /**
     * Neither the tenant nor the bot restricts anybody: may be remembered until `authorizationChanged`, 30 s at most.
     */
    isUnrestricted: z.boolean(),
  }),
  timeoutMs: 1000,
});

export const findAccountOwners = defineRequest('tenancy.account.owners.v1', {
  summary:
    'Which users of a tenant have linked these accounts. Asked when a decision may not be made by its subject.',
  callers: ['agents'],
  request: z.object({
    accounts: z
      .array(z.object({ platform: PlatformName, platformUserId: z.string() }))
      .min(1)
      .max(50),
  }),
  response: z.object({
    owners: z.array(
      z.object({
        platform: PlatformName,
        platformUserId: z.string(),
        userId: z.uuid(),
      }),
    ),
  }),
  timeoutMs: 1000,
});

export const findStaff = defineRequest('tenancy.staff.find.v1', {
  summary:
    'Users of a tenant by their identifiers; one who is none of it is left out. Asked when a chat is assigned to them, and for the names of those who wrote into one.',
  callers: ['agents'],
  request: z.object({ tenantId, userIds: z.array(z.uuid()).min(1).max(500) }),
  response: z.object({
    staff: z.array(
      z.object({
        userId: z.uuid(),
        /** `null` until they have come to the tenant, or if the identity provider has no name. */
        name: z.string().nullable(),
      }),
    ),
  }),
  timeoutMs: 1000,
});
