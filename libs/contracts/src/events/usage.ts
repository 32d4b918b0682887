import { z } from 'zod';
import { Allowance, AllowanceChange } from '../http/allowance.ts';
import { TokenFigures } from '../http/bot-stats.ts';
import { QuotaLeft, UsedFigures } from '../http/dashboard.ts';
import { LimitName } from '../http/usage.ts';
import { defineEvent, defineRequest } from './definition.ts';
import { OfTenants, SpanOfTenants } from './several-tenants.ts';

const amount = z.int().min(0);

/** Stands for the bot of usage outside any chat. */
export const noBotId = '00000000-0000-0000-0000-000000000000';

export const quotaChanged = defineEvent('usage.quota.changed.v1', {
  summary: 'A quota of a tenant was created, changed, reset or removed. Caches of it must be invalidated.',
  schema: z.object({ tenantId: z.uuid() }),
});

export const quotaWarned = defineEvent('usage.quota.warned.v1', {
  summary: 'Usage reached 80 or 100 percent of a limit. Published once for each limit, level and period.',
  schema: z.object({
    tenantId: z.uuid(),
    limit: LimitName,
    /** Percent. */
    level: z.union([z.literal(80), z.literal(100)]),
    used: amount,
    most: amount,
    periodStart: z.iso.datetime(),
    periodEnd: z.iso.datetime(),
  }),
});

export const reserveQuota = defineRequest('usage.quota.reserve.v1', {
  summary:
    'Reserves the most that a model call may use, before the call. The event of the turn settles the reservation.',
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    /** The same for every attempt of a turn, so that it holds only one reservation. */
    reservationId: z.uuid(),
    /** `noBotId` outside of chats. */
    botId: z.uuid(),
    agentId: z.uuid(),
    provider: z.string(),
    model: z.string(),
    /** An upper bound; the closer it is, the less others have to wait. */
    estimate: z.object({ inputTokens: amount, outputTokens: amount }),
    /** How long an unsettled reservation is held: longer than the turn can take. */
    holdMs: z.int().min(1).max(3_600_000),
    /** The owner of the key for the call; with `platform`, tokens are also reserved from its allowance. */
    keyOwner: z.enum(['tenant', 'platform']).optional(),
  }),
  response: z.object({
    /** Without a quota everything is granted, and nothing is reserved. */
    hasQuota: z.boolean(),
    granted: z.boolean(),
    reservationId: z.uuid().nullable(),
    /** Limits that are used up. Empty if only other calls' reservations cause the refusal: these may be released. */
    exceeded: z.array(LimitName),
    /** Result for the platform-key allowance, if requested; all but the first two are refusals. */
    platformKey: z.enum(['granted', 'unlimited', 'used_up', 'reserved_by_others']).optional(),
  }),
  timeoutMs: 2000,
});

export const findAllowance = defineRequest('usage.allowance.find.v1', {
  summary: "Returns a tenant's allowance for the platform's model keys, and its usage this month.",
  callers: ['tenancy', 'keys'],
  request: z.object({ tenantId: z.uuid() }),
  response: Allowance,
  timeoutMs: 2000,
});

export const setAllowance = defineRequest('usage.allowance.set.v1', {
  summary: "Sets a tenant's allowance for the platform's model keys, on behalf of an operator.",
  callers: ['tenancy'],
  request: AllowanceChange.extend({ tenantId: z.uuid() }),
  response: Allowance,
  timeoutMs: 2000,
});

export const findTurnCosts = defineRequest('usage.turn.cost.v1', {
  summary: 'Returns the costs of turns. Turns that are not counted yet, or that used nothing, are omitted.',
  callers: ['agents'],
  request: z.object({ tenantId: z.uuid(), turnIds: z.array(z.uuid()).min(1).max(500) }),
  response: z.object({
    costs: z.array(
      z.object({
        turnId: z.uuid(),
        /** `null` if the model has no price. */
        costMicroUsd: amount.nullable(),
      }),
    ),
  }),
  timeoutMs: 2000,
});

export const sumRunCosts = defineRequest('usage.run.sum.v1', {
  summary: 'Sums the cost of each run of tests. Runs of which nothing is counted yet are omitted.',
  callers: ['agents'],
  request: z.object({ tenantId: z.uuid(), runIds: z.array(z.uuid()).min(1).max(500) }),
  response: z.object({
    runs: z.array(
      z.object({
        runId: z.uuid(),
        /** `null` if a part of it had no price. */
        costMicroUsd: amount.nullable(),
      }),
    ),
  }),
  timeoutMs: 5500,
});

/** Conversations that one request of `sumChatCosts` may name. */
export const maxPricedChats = 5000;

export const sumChatCosts = defineRequest('usage.chat.sum.v1', {
  summary: "Sums the cost of a tenant's chats in a span of time. Trials aren't part of it.",
  callers: ['agents'],
  request: z.object({
    tenantId: z.uuid(),
    from: z.iso.datetime(),
    /** End of the span, exclusive. */
    to: z.iso.datetime(),
    botId: z.uuid().optional(),
    agentId: z.uuid().optional(),
    /** Only these; all of them if left out. */
    conversationIds: z.array(z.uuid()).max(maxPricedChats).optional(),
  }),
  response: z.object({ costMicroUsd: amount }),
  timeoutMs: 5500,
});

export const sumBotDays = defineRequest('usage.bot.sum.v1', {
  summary: "Sums a bot's tokens for each UTC day from `from` to `to`. Days without any are omitted.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), botId: z.uuid(), from: z.iso.date(), to: z.iso.date() }),
  response: z.object({ days: z.array(TokenFigures.extend({ day: z.iso.date() })) }),
  timeoutMs: 5500,
});

export const sumUsed = defineRequest('usage.activity.sum.v1', {
  summary: 'Sums the usage of these tenants together, by hour or day (UTC). Periods without any are omitted.',
  callers: ['tenancy'],
  request: SpanOfTenants,
  response: z.object({ series: z.array(UsedFigures.extend({ at: z.iso.datetime() })) }),
  timeoutMs: 5500,
});

export const listQuotasLeft = defineRequest('usage.quota.left.v1', {
  summary: 'Returns what is left of the quota of each of these tenants. Tenants without one are omitted.',
  callers: ['tenancy'],
  request: OfTenants,
  response: z.object({ tenants: z.array(QuotaLeft.extend({ tenantId: z.uuid() })) }),
  timeoutMs: 3000,
});
