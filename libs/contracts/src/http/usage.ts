import { z } from 'zod';
import { PlatformKeyUse } from './allowance.ts';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { PageQuery } from './page.ts';
import { Provider } from './provider.ts';
import { From, GroupBy, To } from './usage-query.ts';

const amount = z.int();

const Counters = z
  .object({
    messages: amount.describe('Answered messages. Apologies and commands are not counted.'),
    inputTokens: amount.describe(
      'Input tokens as reported by the providers, regardless of how the turn ended.',
    ),
    outputTokens: amount,
    toolCalls: amount,
    costMicroUsd: amount
      .nullable()
      .describe(
        'Cost of the turns with a known price, on own and platform keys alike. `null` if no turn has one. Each turn is priced when it is counted, and rounded to the nearest micro-USD.',
      ),
    unpricedTurns: amount.describe('Turns whose model had no price. `costMicroUsd` does not include them.'),
  })
  .meta({ id: 'Counters', description: 'Counters of usage.' });

const KeySource = z
  .enum(['agent', 'bot', 'tenant', 'platform', 'none'])
  .describe("`agent`, `bot` and `tenant` are the tenant's own keys, by their scope.");

const UseOutcome = z
  .enum(['answered', 'apologized', 'command', 'summary', 'trial', 'evaluation', 'shadow'])
  .describe(
    '`summary`: not a message, but a summary of earlier parts of a conversation. `trial`: not a message, but a trial of an agent. `evaluation`: an answer to a test case. `shadow`: an answer of a candidate beside the live version.',
  );

const UsageGroup = z
  .object({
    day: z.iso.date().optional().describe('The day, in UTC.'),
    month: z.string().optional().describe('The month as `YYYY-MM`, in UTC.'),
    botId: id.nullish().describe('`null`: usage outside of chats.'),
    agentId: id.nullish().describe('`null`: usage without an agent, for example by commands.'),
    provider: z.string().nullish().describe('`null`: no model was called.'),
    model: z.string().nullish().describe('`null`: no model was called.'),
    keySource: KeySource.optional(),
    counters: Counters,
  })
  .meta({
    id: 'UsageGroup',
    description: 'Usage of one group. The fields other than `counters` identify the group.',
  });

export const Usage = z
  .object({
    periodStart: moment,
    periodEnd: moment.describe('End of the period, exclusive.'),
    counters: Counters,
    platformKeys: z
      .array(PlatformKeyUse)
      .describe("This month's allowances for the platform's keys, regardless of the requested range."),
    series: z
      .array(UsageGroup)
      .optional()
      .describe(
        'Usage of each group, earliest first. Set only with `groupBy`. The groups add up to `counters`.',
      ),
  })
  .meta({ id: 'Usage', description: 'Usage of a tenant in a period.' });

export const UsageLogEntry = z
  .object({
    turnId: id.describe('The identifier of one attempt to answer.'),
    conversationId: z.uuid().nullable().describe('`null` for a trial or a test case.'),
    botId: id.nullable().describe('`null` for a trial or a test case.'),
    agentId: id.nullable(),
    agentVersion: amount
      .nullable()
      .describe('The version of the agent. `null` without an agent, and if it is unknown.'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    keySource: KeySource,
    keyId: id.nullable(),
    outcome: UseOutcome,
    inputTokens: amount,
    outputTokens: amount,
    toolCalls: amount,
    costMicroUsd: amount.nullable().describe('`null` if the model had no price.'),
    isEstimated: z
      .boolean()
      .describe('Whether the tokens are estimated from text lengths because the provider reported none.'),
    durationMs: amount,
    completedAt: moment.describe('When the turn was completed.'),
  })
  .meta({ id: 'UsageLogEntry', description: 'Usage of one turn.' });
export type UsageLogEntry = z.input<typeof UsageLogEntry>;

export const LimitName = z.enum(['messages', 'inputTokens', 'outputTokens', 'costMicroUsd']);
export type LimitName = z.output<typeof LimitName>;
export const limitNames = LimitName.options;

const most = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const limits = {
  messages: most.optional().describe('Number of answered messages.'),
  inputTokens: most.optional().describe('Tokens sent to models.'),
  outputTokens: most.optional().describe('Tokens produced by models.'),
  costMicroUsd: most.optional().describe('Cost of turns. Turns whose model has no price are not counted.'),
};

export const Limits = z.object(limits).meta({
  id: 'Limits',
  description: 'Limits of a quota for one period. An omitted limit does not apply.',
});
const SetLimits = z
  .object(limits)
  .refine(
    (body) => limitNames.some((name) => body[name] !== undefined),
    `set at least one of ${limitNames.join(', ')}`,
  );

const QuotaPeriod = z
  .enum(['month', 'day'], { error: 'must be one of month, day' })
  .describe('A calendar month or day in UTC.');

export const InitializeQuotaBody = z.object({
  limits: SetLimits.describe(
    'The most that the tenant may use in a period. An omitted limit does not apply.',
  ),
  period: QuotaPeriod.default('month'),
});

export const ResetQuotaBody = z.object({
  limits: SetLimits.optional().describe('New limits, which replace all old ones.'),
  period: QuotaPeriod.optional(),
});

export const Quota = z
  .object({
    limits: Limits.describe('The limits per period. An omitted limit does not apply.'),
    period: QuotaPeriod,
    periodStart: moment.describe('Start of the calendar period, or the last reset within it.'),
    periodEnd: moment,
    used: Counters,
    reserved: Limits.required().describe('The most that messages currently being answered may use.'),
    remaining: Limits.describe('Each limit minus `used` and `reserved`, but at least 0.'),
    exceeded: z
      .array(LimitName)
      .describe('Limits that are used up. While there is any, no message is answered.'),
    warnings: z
      .array(z.object({ limit: LimitName, level: amount.describe('Percent: 80 or 100.'), warnedAt: moment }))
      .describe('Warning levels reached in this period.'),
    createdAt: moment,
    resetAt: moment.nullable().describe('When an admin last reset the usage to 0; `null` if never.'),
  })
  .meta({ id: 'Quota', description: 'The quota of a tenant, and its usage in the current period.' });
export type Quota = z.input<typeof Quota>;

const LogQuery = PageQuery.extend({
  from: From.optional(),
  to: To.optional(),
  botId: id.optional(),
  agentId: id.optional(),
  provider: Provider.optional(),
  model: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\0]*$/)
    .optional(),
  keySource: z
    .enum([...KeySource.options, 'own'])
    .optional()
    .describe('`own`: any key of the tenant.'),
  outcome: UseOutcome.optional(),
});

const Stored = z.object({
  usedBytes: amount,
  limitBytes: amount.nullable().describe('The limit in bytes. `null`: unlimited.'),
});

const StorageUse = z
  .object({
    mails: Stored.describe('Original emails and their files.'),
    documents: Stored.describe('Original documents.'),
  })
  .meta({ id: 'StorageUse', description: 'Storage used by a tenant, and its limits.' });

export const usageRouter = defineRouter({
  basePath: '/api/usage',
  service: 'usage',
  description:
    'Usage of a tenant, and its quota. The quota is enforced in chats and trials; requests to `/api/usage` never return 429 because of it.',
  routes: {
    getUsage: admin.get('/:tenantId', {
      summary: "Get a tenant's usage counters, optionally as a series.",
      description:
        'Without `from` and `to`, the range is the current period of the quota, or the current calendar month in UTC if there is no quota. ' +
        'Own and platform keys are counted together; `groupBy=keySource` separates them. ' +
        'The limits are 400 days and 10,000 groups. A series omits days without usage.',
      query: z.object({
        from: From.optional(),
        to: To.optional(),
        groupBy: GroupBy.optional(),
      }),
      response: Usage,
    }),
    listUsageLogs: admin.list('/:tenantId/logs', {
      summary: 'List every turn that used something, most recently ended first.',
      query: LogQuery,
      response: z.array(UsageLogEntry),
    }),
    getStorage: admin.get('/:tenantId/storage', {
      summary: 'Get the bytes stored for emails and documents, and their limits.',
      description:
        'Beyond the limit, a document is rejected with 409. An email is still accepted and answered, but its files are not stored. Operators can raise the limits.',
      response: StorageUse,
      errors: [503],
    }),
    checkQuota: admin.get('/:tenantId/check', {
      summary: 'Check whether the tenant is within its quota.',
      description:
        "A tenant without a quota is always within it. The allowance for the platform's keys is separate and is returned with the counters; " +
        'a tenant with its own keys is answered without it.',
      response: z
        .object({ allowed: z.boolean(), exceeded: z.array(LimitName) })
        .meta({ id: 'QuotaCheck', description: 'Whether the quota allows another message.' }),
    }),
    getQuota: admin.get('/:tenantId/quota', {
      summary: 'Get the quota, with what is used, reserved and left in the current period.',
      response: Quota,
      errors: [404],
    }),
    initializeQuota: admin.post('/:tenantId/quota/initialize', {
      summary: 'Create the quota.',
      description:
        'Usage since the start of the current calendar period counts. Once the quota is used up, messages to the bots get ' +
        'one polite sentence per chat and hour, and no model is called. ' +
        'Returns 409 if there is a quota already; use a reset to set other limits.',
      body: InitializeQuotaBody,
      response: Quota,
      status: 201,
      errors: [409],
    }),
    resetQuota: admin.post('/:tenantId/quota/reset', {
      summary: "Restart the quota's counters now, optionally with other limits or another period.",
      description: 'Series and logs keep earlier usage.',
      body: ResetQuotaBody,
      response: Quota,
      errors: [404],
    }),
    deleteQuota: admin.delete('/:tenantId/quota', {
      summary: 'Remove the quota.',
      description:
        "No quota limits the tenant afterwards, but the allowance for the platform's keys still applies. Counters, series and logs " +
        'are kept. Also returns 204 if there is no quota. A quota created later counts the current calendar period again.',
    }),
  },
});
