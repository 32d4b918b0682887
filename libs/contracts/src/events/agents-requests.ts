import { z } from 'zod';
import { HeldWork, SaidFigures } from '../http/dashboard.ts';
import { Receipt } from '../http/gdpr.ts';
import { Limit } from '../http/limits.ts';
import { PlatformName } from '../http/platform.ts';
import { defineRequest } from './definition.ts';
import { OfTenants, SpanOfTenants } from './several-tenants.ts';
import { StorageQuestion } from './storage.ts';

export const countHeldWork = defineRequest('agents.work.count.v1', {
  summary:
    'Counts waiting messages and dead letters of each of these tenants. Tenants without any are omitted.',
  callers: ['tenancy'],
  request: OfTenants,
  response: z.object({ tenants: z.array(HeldWork.extend({ tenantId: z.uuid() })) }),
  timeoutMs: 3000,
});

export const sumSaid = defineRequest('agents.activity.sum.v1', {
  summary:
    'Counts the messages of these tenants together, by hour or day (UTC). Periods without any are omitted.',
  callers: ['tenancy'],
  request: SpanOfTenants,
  response: z.object({ series: z.array(SaidFigures.extend({ at: z.iso.datetime() })) }),
  timeoutMs: 5500,
});

/** A person to erase from a tenant: always by hashed identifiers, and by their known accounts. */
export const ErasedPerson = z.object({
  tenantId: z.uuid(),
  personIds: z.array(z.uuid()).min(1).max(50),
  accounts: z.array(z.object({ platform: PlatformName, platformUserId: z.string() })).max(50),
  erasedBefore: z.iso.datetime(),
});
export type ErasedPerson = z.output<typeof ErasedPerson>;

/** Result of one erasure call. The call is repeated until nothing is left. */
export const Erased = z.object({
  receipts: z.array(Receipt),
  isDone: z.boolean(),
  waitsFor: z.string().optional(),
});
export type Erased = z.output<typeof Erased>;

/** A conversation of a person. A private one names its chat, which need not have the identifier of its person. */
export const PersonConversation = z.object({
  conversationId: z.uuid(),
  isPrivate: z.boolean(),
  platform: PlatformName.optional(),
  platformChatId: z.string().optional(),
});
export type PersonConversation = z.output<typeof PersonConversation>;

export const findPerson = defineRequest('agents.person.find.v1', {
  summary: 'Finds the accounts behind hashed identifiers, as far as they are known, and their conversations.',
  callers: ['tenancy'],
  request: ErasedPerson,
  response: z.object({
    accounts: ErasedPerson.shape.accounts,
    conversations: z.array(PersonConversation).max(10_000),
  }),
  timeoutMs: 10_000,
});

export const erasePerson = defineRequest('agents.person.erase.v1', {
  summary: 'Erases part of the stored data of a person, and returns whether more is left. May be repeated.',
  callers: ['tenancy'],
  request: ErasedPerson,
  response: Erased,
  timeoutMs: 30_000,
});

export const keepDocuments = defineRequest('agents.storage.limit.v1', {
  summary:
    "Returns the stored bytes of a tenant's documents, and their limit. `ownLimit` first sets the operator's limit.",
  callers: ['tenancy', 'usage'],
  request: StorageQuestion,
  response: Limit,
  timeoutMs: 2000,
});
