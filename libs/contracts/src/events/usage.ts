import { z } from 'zod';
import { Allowance, AllowanceChange } from '../http/allowance.ts';
import { TokenFigures } from '../http/bot-stats.ts';
import { QuotaLeft, UsedFigures } from '../http/dashboard.ts';
import { LimitName } from '../http/usage.ts';
import { defineEvent, defineRequest } from './definition.ts';
import { OfTenants, SpanOfTenants } from './several-tenants.ts';

const amount = z.number().int().min(0);

/** Stands for the bot of usage outside any chat. */
export const noBotId = '00000000-0000-0000-0000-000000000000';

export const quotaChanged = defineEvent('usage.quota.changed.v1', {
  summary:
    'A tenant got a quota, its limits or counters were changed, or it was removed: what is remembered of it is to be dropped.',
  schema: z.object({ tenantId: z.uuid() }),
});

export const quotaWarned = defineEvent('usage.quota.warned.v1', {
  summary: 'Use reached 80 or 100 percent of a limit: once for each limit, level and period.',
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
    'Sets aside what a model call may use at most, before it is made; settled by the event of the turn.',
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
    holdMs: z.number().int().min(1).max(3_600_000),
    /** The owner of the key for the call; with `platform`, tokens are also reserved from its allowance. */
    keyOwner: z.enum(['tenant', 'platform']).optional(),
  }),
  response: z.object({
    /** Without a quota everything is granted, and nothing is reserved. */
    hasQuota: z.boolean(),
    granted: z.boolean(),
    reservationId: z.uuid().nullable(),
    /** Limits that are used up. Empty in a refusal that only others' reservations cause, since these may come back. */
    exceeded: z.array(LimitName),
    /** Result for the platform-key allowance, if requested; all but the first two are refusals. */
    platformKey: z.enum(['granted', 'unlimited', 'used_up', 'reserved_by_others']).optional(),
  }),
  timeoutMs: 2000,
});

export const findAllowance = defineRequest('usage.allowance.find.v1', {
  summary: "What a tenant may use on the platform's model keys, and what it has used this month.",
  callers: ['tenancy', 'keys'],
  request: z.object({ tenantId: z.uuid() }),
  response: Allowance,
  timeoutMs: 2000,
});

export const setAllowance = defineRequest('usage.allowance.set.v1', {
  summary: "Sets what a tenant may use on the platform's model keys, on an operator's word.",
  callers: ['tenancy'],
  request: AllowanceChange.extend({ tenantId: z.uuid() }),
  response: Allowance,
  timeoutMs: 2000,
});

export const findTurnCosts = defineRequest('usage.turn.cost.v1', {
  summary: 'What turns cost. One that is not counted, yet or because it used nothing, is left out.',
  callers: ['agents'],
  request: z.object({ tenantId: z.uuid(), turnIds: z.array(z.uuid()).min(1).max(500) }),
  response: z.object({
    costs: z.array(
      z.object({
        turnId: z.uuid(),
        /** `null` when the model has no price. */
        costMicroUsd: amount.nullable(),
      }),
    ),
  }),
  timeoutMs: 2000,
});

export const sumBotDays = defineRequest('usage.bot.sum.v1', {
  summary: "A bot's tokens on each of the UTC days from `from` to `to` on which there were any.",
  callers: ['tenancy'],
  request: z.object({ tenantId: z.uuid(), botId: z.uuid(), from: z.iso.date(), to: z.iso.date() }),
  response: z.object({ days: z.array(TokenFigures.extend({ day: z.iso.date() })) }),
  timeoutMs: 5500,
});

export const sumUsed = defineRequest('usage.activity.sum.v1', {
  summary: 'What these tenants together used, by hour or day (UTC). Times without anything are left out.',
  callers: ['tenancy'],
  request: SpanOfTenants,
  response: z.object({ series: z.array(UsedFigures.extend({ at: z.iso.datetime() })) }),
  timeoutMs: 5500,
});

export const listQuotasLeft = defineRequest('usage.quota.left.v1', {
  summary: 'What is left of the quotas of these tenants. A tenant without one is left out.',
  callers: ['tenancy'],
  request: OfTenants,
  response: z.object({ tenants: z.array(QuotaLeft.extend({ tenantId: z.uuid() })) }),
  timeoutMs: 3000,
});
