import { z } from 'zod';
import { id, moment } from './common.ts';
import { Provider } from './provider.ts';

const tokens = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const PlatformKeyUse = z
  .object({
    providers: z.array(Provider).describe('The providers that share this allowance.'),
    monthlyTokens: tokens
      .nullable()
      .describe(
        'Limit of input and output tokens in a calendar month in UTC; `null` if unlimited, 0 if none are allowed.',
      ),
    usedTokens: tokens.describe('Input and output tokens used by answered turns in the period.'),
    reservedTokens: tokens.describe('Upper bound of the tokens that turns in progress may use.'),
    remainingTokens: tokens.nullable().describe('Tokens that are left in the period; `null` if unlimited.'),
    isUsedUp: z
      .boolean()
      .describe(
        "Whether the allowance is used up. Until the period ends, only the tenant's own keys are then used for " +
          'these providers.',
      ),
    periodStart: moment,
    periodEnd: moment,
  })
  .meta({ id: 'PlatformKeyUse', description: "A tenant's use of the platform's keys, and its limit." });
export type PlatformKeyUse = z.input<typeof PlatformKeyUse>;

export const Allowance = z
  .object({
    tenantId: id,
    monthlyTokens: tokens
      .nullable()
      .describe(
        'The limit set for this tenant, for all public providers together; `null` if the default applies.',
      ),
    defaultMonthlyTokens: tokens
      .nullable()
      .describe('The default, from the setting `PLATFORM_KEY_MONTHLY_TOKENS`; `null` if unlimited.'),
    privateLlmMonthlyTokens: tokens
      .nullable()
      .describe('The limit set for this tenant on the private LLM; `null` if the default applies.'),
    defaultPrivateLlmMonthlyTokens: tokens
      .nullable()
      .describe(
        'The default for the private LLM, from the setting `PRIVATE_LLM_MONTHLY_TOKENS`; `null` if unlimited.',
      ),
    platformKeys: z
      .array(PlatformKeyUse)
      .describe("The tenant's use of the platform's keys in the current month, for each allowance."),
  })
  .meta({
    id: 'Allowance',
    description: "The allowance that an operator grants a tenant on the platform's own keys.",
  });
export type Allowance = z.input<typeof Allowance>;

const change = {
  monthlyTokens: tokens
    .nullish()
    .describe(
      "Tokens per month on the platform's keys for the public providers; `null` restores the default.",
    ),
  privateLlmMonthlyTokens: tokens
    .nullish()
    .describe('Tokens per month on the private LLM; `null` restores the default.'),
};

export const AllowanceChange = z.object(change);
export type AllowanceChange = z.output<typeof AllowanceChange>;

export const SetAllowanceBody = z
  .object(change)
  .refine(
    (body) => body.monthlyTokens !== undefined || body.privateLlmMonthlyTokens !== undefined,
    'set monthlyTokens, privateLlmMonthlyTokens, or both',
  );
