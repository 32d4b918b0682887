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
    'What waits for an answer in each of these tenants, and what was given up. A tenant without any is left out.',
  callers: ['tenancy'],
  request: OfTenants,
  response: z.object({ tenants: z.array(HeldWork.extend({ tenantId: z.uuid() })) }),
  timeoutMs: 3000,
});

export const sumSaid = defineRequest('agents.activity.sum.v1', {
  summary:
    'What was said in these tenants together, by hour or day (UTC). Times without anything are left out.',
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

/** Result of one erasure call. The service is asked again until nothing is left. */
export const Erased = z.object({
  receipts: z.array(Receipt),
  isDone: z.boolean(),
  waitsFor: z.string().optional(),
});
export type Erased = z.output<typeof Erased>;

export const findPerson = defineRequest('agents.person.find.v1', {
  summary:
    'The accounts behind hashed identifiers, as far as they are known, and the conversations that they are in.',
  callers: ['tenancy'],
  request: ErasedPerson,
  response: z.object({
    accounts: ErasedPerson.shape.accounts,
    conversations: z.array(z.object({ conversationId: z.uuid(), isPrivate: z.boolean() })).max(10_000),
  }),
  timeoutMs: 10_000,
});

export const erasePerson = defineRequest('agents.person.erase.v1', {
  summary:
    'Erases a part of what is kept of a person, and tells whether there is more. May be asked again and again.',
  callers: ['tenancy'],
  request: ErasedPerson,
  response: Erased,
  timeoutMs: 30_000,
});

export const keepDocuments = defineRequest('agents.storage.limit.v1', {
  summary:
    "How many bytes are kept of a tenant's documents, and may be; with `ownLimit`, what an operator sets for it.",
  callers: ['tenancy', 'usage'],
  request: StorageQuestion,
  response: Limit,
  timeoutMs: 2000,
});
