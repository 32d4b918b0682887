import { z } from 'zod';
import { id, moment } from './common.ts';
import { Provider } from './provider.ts';

const tokens = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A tenant's use of the platform's keys, and its limits. */
export const PlatformKeyUse = z
  .object({
    providers: z.array(Provider).describe('They share one allowance.'),
    monthlyTokens: tokens
      .nullable()
      .describe('Input and output tokens of a calendar month in UTC; `null` is unlimited, 0 is none.'),
    usedTokens: tokens.describe('Input and output tokens of the period that answered turns have used.'),
    reservedTokens: tokens.describe('What messages that are being answered now may use at most.'),
    remainingTokens: tokens.nullable().describe('`null` is unlimited.'),
    isUsedUp: z
      .boolean()
      .describe("While it is used up, only the tenant's own keys answer for these providers."),
    periodStart: moment,
    periodEnd: moment,
  })
  .meta({
    id: 'PlatformKeyUse',
    description: "What a tenant uses of the platform's keys, and what it may use.",
  });
export type PlatformKeyUse = z.input<typeof PlatformKeyUse>;

/** An operator's allowance for one tenant. */
export const Allowance = z
  .object({
    tenantId: id,
    monthlyTokens: tokens
      .nullable()
      .describe('Set for this tenant, for the public providers together; `null`: the default holds.'),
    defaultMonthlyTokens: tokens
      .nullable()
      .describe('The setting `PLATFORM_KEY_MONTHLY_TOKENS`; `null` is unlimited.'),
    privateLlmMonthlyTokens: tokens.nullable().describe('The same for the private LLM.'),
    defaultPrivateLlmMonthlyTokens: tokens
      .nullable()
      .describe('The setting `PRIVATE_LLM_MONTHLY_TOKENS`; `null` is unlimited.'),
    platformKeys: z
      .array(PlatformKeyUse)
      .describe('What the tenant uses of each key of the platform in this month.'),
  })
  .meta({ id: 'Allowance', description: "What an operator lets a tenant use of the platform's own keys." });
export type Allowance = z.input<typeof Allowance>;

const change = {
  monthlyTokens: tokens
    .nullable()
    .optional()
    .describe('Tokens a month on the platform’s keys of the public providers; `null`: back to the default.'),
  privateLlmMonthlyTokens: tokens.nullable().optional().describe('The same for the private LLM.'),
};

export const AllowanceChange = z.object(change);
export type AllowanceChange = z.output<typeof AllowanceChange>;

export const SetAllowanceBody = z
  .object(change)
  .refine(
    (given) => given.monthlyTokens !== undefined || given.privateLlmMonthlyTokens !== undefined,
    'set monthlyTokens, privateLlmMonthlyTokens, or both',
  );
