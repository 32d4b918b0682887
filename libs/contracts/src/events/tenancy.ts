import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { UserIdentity } from '../identity.ts';
import { defineEvent, defineRequest } from './definition.ts';
import { maxSearchedUnits } from './keys.ts';
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
  joinWindowMs: z.int(),
  /** Time limit of an answer, and the time after which the chat gets a notice of the delay; 0: never. */
  answerDeadlineSeconds: z.int().optional(),
  delayNoticeSeconds: z.int().optional(),
  /** Time after a question during which its answer is still sent. Absent: one hour. */
  answerWithinMinutes: z.int().positive().optional(),
  /** A chat that was taken over returns to the bot after this time without a staff message. Absent: one hour. */
  handbackAfterMinutes: z.int().positive().optional(),
  /** Whether it asks people if an answer helped. Absent: no. */
  asksForRating: z.boolean().optional(),
  /** Language for people whose own isn't known. Absent: English. */
  defaultLanguage: z.string().optional(),
  /** The bot's own texts by language and key. Absent: none; unknown keys are ignored. */
  words: z.record(z.string(), z.record(z.string(), z.string())).optional(),
  revision: z.int(),
});
export type BotState = z.output<typeof BotState>;

export const botSaved = defineEvent('tenancy.bot.saved.v1', {
  summary: 'A bot was created or updated.',
  schema: BotState,
});

export const botDeleted = defineEvent('tenancy.bot.deleted.v1', {
  summary: 'A bot was deleted. The deletions of its integrations are announced separately.',
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
  /** The address that people write to; only for email integrations. */
  address: z.string().optional(),
  /** The domain of the address, if the tenant has proven that it is theirs. */
  provenDomain: z.string().optional(),
  /** The account at the platform, once it is known. One account has one integration. */
  accountId: z.string().optional(),
  /** The account was removed, or belongs to another integration: nothing is received or sent. */
  isWithoutAccount: z.boolean().optional(),
  revision: z.int(),
});
export type IntegrationState = z.output<typeof IntegrationState>;

export const integrationSaved = defineEvent('tenancy.integration.saved.v1', {
  summary:
    'An integration was created or updated. The webhooks service registers the changes with the platform.',
  schema: IntegrationState,
});

export const integrationDeleted = defineEvent('tenancy.integration.deleted.v1', {
  summary: 'An integration was deleted. The webhooks service removes its webhook from the platform.',
  schema: z.object({ tenantId, integrationId: z.uuid(), botId, revision: z.int() }),
});

export const tenantDeleted = defineEvent('tenancy.tenant.deleted.v1', {
  summary: 'A tenant was deleted. Every service deletes its data of the tenant.',
  schema: z.object({ tenantId }),
});

export const accessChanged = defineEvent('tenancy.access.changed.v1', {
  summary: "A person's access changed. Caches of it must be invalidated.",
  schema: z.object({ idpUserId: z.string(), tenantId: z.uuid().optional() }),
});

export const authorizationChanged = defineEvent('tenancy.authorization.changed.v1', {
  summary:
    'Relationships, policies or chat rules of a tenant changed. Cached decisions in the tenant must be invalidated.',
  schema: z.object({ tenantId }),
});

/** Only processes of 0.1.0 name it. The answer is that nobody has this token. */
const FormerTokenIdentity = z.object({ kind: z.literal('token'), tokenId: z.uuid(), tenantId: z.uuid() });
const role = z.enum(['admin', 'member']);

const ResolvedCaller = z.object({
  userId: z.string(),
  idpUserId: z.string(),
  sessionId: z.string(),
  email: z.string().nullable(),
  isOperator: z.boolean(),
  roles: z.array(z.object({ tenantId, role })),
  activeTenantId: z.string().nullable(),
  /** Roles for single bots that exceed the role in their tenant. */
  bots: z.array(z.object({ botId, tenantId, role })).optional(),
  /** Bots whose chats the caller may answer. */
  responds: z.array(z.object({ botId, tenantId })).optional(),
  /** Tenants in reach with policies of their own: `tenancy.access.decide.v1` decides about actions there. */
  policedTenantIds: z.array(tenantId).optional(),
  /** Tenants to which the caller was added, and which they have not visited yet. */
  unvisitedTenantIds: z.array(tenantId).optional(),
  /** Only processes of 0.1.0 send it, for a program with a token of its tenant. */
  token: z.object({ tokenId: z.uuid(), expiresAt: z.iso.datetime().nullable() }).optional(),
});
export type ResolvedCaller = z.output<typeof ResolvedCaller>;

export const resolveCaller = defineRequest('tenancy.caller.resolve.v1', {
  summary:
    'Resolves an identity to a caller and the tenants within their reach. An unknown person is created.',
  callers: ['keys', 'usage', 'webhooks', 'agents'],
  request: z.object({
    identity: z.discriminatedUnion('kind', [UserIdentity, FormerTokenIdentity]),
    /** The tenant that the request names. A member of it counts as having visited it. */
    visitedTenantId: tenantId.optional(),
  }),
  response: z.object({
    caller: ResolvedCaller.nullable(),
  }),
  timeoutMs: 2000,
});

export const findApiToken = defineRequest('tenancy.token.find.v1', {
  summary:
    'Asked by gateways of 0.1.0 about the API tokens of that release. No token exists any more: the answer is `null`.',
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
        expiresInMs: z
          .number()
          .nullable()
          .describe('Milliseconds until the token expires, by the clock of the database. `null`: never.'),
      })
      .nullable(),
  }),
  timeoutMs: 2000,
});

export const tenantExists = defineRequest('tenancy.tenant.exists.v1', {
  summary: 'Checks whether a tenant exists. Called for operators, who have access to every tenant.',
  callers: ['keys', 'usage', 'webhooks', 'agents'],
  request: z.object({ tenantId }),
  response: z.object({ exists: z.boolean() }),
  timeoutMs: 2000,
});

export const decideAccess = defineRequest('tenancy.access.decide.v1', {
  summary:
    'Returns where policies deny what relationships allow a caller. Never cached, because policies depend on the request and the time.',
  callers: ['keys', 'usage', 'webhooks', 'agents'],
  request: z.object({
    caller: z.object({
      userId: z.string(),
      idpUserId: z.string(),
      isOperator: z.boolean(),
      /** Absent for a person. A program with a token, of which only processes of 0.1.0 know, is refused. */
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
    "Finds a bot's integration of a type, or the integration of an email address or of an account at a platform. Called when a delivery arrives before the integration's event.",
  callers: ['webhooks'],
  request: z.union([
    z.object({ botId, integrationType: PlatformName }),
    z.object({ address: z.string() }),
    z.object({ integrationType: PlatformName, accountId: z.string() }),
  ]),
  response: z.object({ integration: IntegrationState.nullable() }),
  timeoutMs: 1000,
});

export const findBot = defineRequest('tenancy.bot.find.v1', {
  summary:
    "Finds a bot. Called when a message arrives before the bot's event, for the name on the page of a link, and before a key is stored for the bot.",
  callers: ['keys', 'agents', 'webhooks'],
  request: z.object({ tenantId, botId }),
  response: z.object({ bot: BotState.nullable() }),
  timeoutMs: 1000,
});

/** The reason why a bot ignores a person: they are muted, the chat has no grant, or a policy denies it. */
export const Refusal = z.enum(['muted', 'channel not granted', 'private chat not granted', 'policy']);
export type Refusal = z.output<typeof Refusal>;

export const admitMessages = defineRequest('tenancy.message.admit.v1', {
  summary: "Decides whose messages a bot accepts in a chat, by moderation, grants and the tenant's policies.",
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
     * Neither the tenant nor the bot restricts anyone. May be cached until `authorizationChanged`, for at most 30 s.
     */
    isUnrestricted: z.boolean(),
  }),
  timeoutMs: 1000,
});

export const findAccountOwners = defineRequest('tenancy.account.owners.v1', {
  summary:
    'Finds the users of a tenant who have linked these accounts. Called when a decision may not be made by its subject.',
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

export const findCredentialIn = defineRequest('tenancy.secret.find.v1', {
  summary: "Says whether a text contains a credential or a secret of one of the tenant's integrations.",
  callers: ['agents'],
  request: z.object({ tenantId, text: z.string().max(maxSearchedUnits) }),
  response: z.object({ isFound: z.boolean() }),
  timeoutMs: 1000,
});

export const findStaff = defineRequest('tenancy.staff.find.v1', {
  summary:
    'Finds users of a tenant by their identifiers; other users are omitted. Called when a chat is assigned to a user, and for the names of users who wrote into a chat.',
  callers: ['agents'],
  request: z.object({
    tenantId,
    userIds: z.array(z.uuid()).min(1).max(500),
    /** Leaves out people who answer only chats of other bots. Absent: all of the tenant's. */
    botId: botId.optional(),
  }),
  response: z.object({
    staff: z.array(
      z.object({
        userId: z.uuid(),
        /** `null` until the user has visited the tenant, or if the identity provider has no name. */
        name: z.string().nullable(),
      }),
    ),
  }),
  timeoutMs: 1000,
});
