import { z } from 'zod';
import { KeyCounts } from '../http/dashboard.ts';
import { Resolution, ScopeType } from '../http/keys.ts';
import { Provider } from '../http/provider.ts';
import { defineEvent, defineRequest } from './definition.ts';
import { OfTenants } from './several-tenants.ts';

export const keyInvalidated = defineEvent('keys.key.invalidated.v1', {
  summary: 'A provider key of a tenant was marked invalid and is no longer chosen.',
  schema: z.object({
    tenantId: z.uuid(),
    keyId: z.uuid(),
    provider: Provider,
    scopeType: ScopeType,
    /** The bot or agent; `null` when the scope is the tenant. */
    scopeId: z.uuid().nullable(),
    /** The source of the mark: a person, or the provider by refusing the key. */
    reason: z.enum(['person', 'provider']),
    invalidatedAt: z.iso.datetime(),
  }),
});

export const keyStored = defineEvent('keys.key.stored.v1', {
  summary: 'A tenant stored a provider key. Keys that were cached for its calls before may no longer apply.',
  schema: z.object({ tenantId: z.uuid(), keyId: z.uuid(), provider: Provider }),
});

/** An elliptic-curve public key (P-256) that the requester made for this one request. */
export const RecipientKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
});

export const resolveKey = defineRequest('keys.key.resolve.v1', {
  summary: 'Chooses the key for a model call and returns it, sealed for the requesting process.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    provider: Provider,
    botId: z.uuid().optional(),
    agentId: z.uuid().optional(),
    /** The provider may limit a key for one model only. */
    model: z.string().optional(),
    /** Keys that this call has already tried; the next one in order is returned. */
    excluding: z.array(z.uuid()).max(20).optional(),
    recipient: RecipientKey,
  }),
  response: Resolution.extend({
    /** JWE (ECDH-ES, A256GCM) of the key; `null` when none was found, or when the private LLM needs none. */
    sealedKey: z.string().nullable(),
    /** `name[:port]` that the key may be sent to; the requester refuses any other host (REQ-REL-16). */
    host: z.string().nullish(),
    /** Time of the decision, by the database's clock; later reports about the key refer to it. */
    resolvedAt: z.iso.datetime().nullish(),
    /** The tenant's only matching keys are unused for now because the provider limits them. */
    isLimited: z.boolean().optional(),
    /** Time until the first of them can be used again. */
    limitedForMs: z.int().nonnegative().optional(),
  }),
  timeoutMs: 2000,
});

/** Units of a text that is searched for stored secrets, at most. */
export const maxSearchedUnits = 100_000;

export const findKeyIn = defineRequest('keys.secret.find.v1', {
  summary: 'Says whether a text contains a provider key of the tenant or of the platform.',
  callers: ['agents'],
  request: z.object({ tenantId: z.uuid(), text: z.string().max(maxSearchedUnits) }),
  response: z.object({ isFound: z.boolean() }),
  timeoutMs: 1000,
});

export const countKeys = defineRequest('keys.key.count.v1', {
  summary: 'Counts the keys of each of these tenants by their state. Tenants without any are omitted.',
  callers: ['tenancy'],
  request: OfTenants,
  response: z.object({ tenants: z.array(KeyCounts.extend({ tenantId: z.uuid() })) }),
  timeoutMs: 3000,
});
