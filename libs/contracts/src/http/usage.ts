import { z } from 'zod';
import { PlatformKeyUse } from './allowance.ts';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { PageQuery } from './page.ts';
import { Provider } from './provider.ts';
import { From, GroupBy, To } from './usage-query.ts';

const amount = z.number().int();

const Counters = z
  .object({
    messages: amount.describe('Answered messages. Apologies and commands are none.'),
    inputTokens: amount.describe('As the providers reported them, however the turn ended.'),
    outputTokens: amount,
    toolCalls: amount,
    costMicroUsd: amount
      .nullable()
      .describe(
        'What has a known price, on own and platform keys alike; `null` when nothing has. Each turn is priced when it is counted, and rounded to the nearest micro-USD.',
      ),
    unpricedTurns: amount.describe('Turns whose model had no price: `costMicroUsd` leaves them out.'),
  })
  .meta({ id: 'Counters', description: 'How much was used.' });

const KeySource = z
  .enum(['agent', 'bot', 'tenant', 'platform', 'none'])
  .describe("`agent`, `bot` and `tenant` are the tenant's own keys, by their scope.");

const UseOutcome = z
  .enum(['answered', 'apologized', 'command', 'summary', 'trial'])
  .describe(
    '`summary`: no message, but what a conversation said before was summed up. `trial`: no message, but an agent was tried.',
  );

const UsageGroup = z
  .object({
    day: z.iso.date().optional().describe('In UTC.'),
    month: z.string().optional().describe('`YYYY-MM`, in UTC.'),
    botId: id.nullish().describe('`null`: outside of any chat.'),
    agentId: id.nullish().describe('`null`: outside of any agent, as for commands.'),
    provider: z.string().nullish().describe('`null`: no model was asked.'),
    model: z.string().nullish().describe('`null`: no model was asked.'),
    keySource: KeySource.optional(),
    counters: Counters,
  })
  .meta({
    id: 'UsageGroup',
    description: 'How much was used in one group, which the fields beside `counters` name.',
  });

export const Usage = z
  .object({
    periodStart: moment,
    periodEnd: moment.describe('The first moment that no longer belongs to it.'),
    counters: Counters,
    platformKeys: z
      .array(PlatformKeyUse)
      .describe("This month's allowances for the platform's keys, whatever span was asked for."),
    series: z
      .array(UsageGroup)
      .optional()
      .describe(
        'With `groupBy` only: what was used in each group, the earliest first. Their sum is `counters`.',
      ),
  })
  .meta({ id: 'Usage', description: 'What a tenant used in a time.' });

export const UsageLogEntry = z
  .object({
    turnId: id,
    conversationId: z.uuid().nullable().describe('`null` for a trial.'),
    botId: id.nullable().describe('`null` for a trial.'),
    agentId: id.nullable(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    keySource: KeySource,
    keyId: id.nullable(),
    outcome: UseOutcome,
    inputTokens: amount,
    outputTokens: amount,
    toolCalls: amount,
    costMicroUsd: amount.nullable().describe('`null` when the model had no price.'),
    isEstimated: z.boolean().describe('The provider gave no numbers: the tokens are estimated from lengths.'),
    durationMs: amount,
    completedAt: moment,
  })
  .meta({ id: 'UsageLogEntry', description: 'What one turn used.' });
export type UsageLogEntry = z.input<typeof UsageLogEntry>;

export const LimitName = z.enum(['messages', 'inputTokens', 'outputTokens', 'costMicroUsd']);
export type LimitName = z.output<typeof LimitName>;
export const limitNames = LimitName.options;

const most = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const limits = {
  messages: most.optional().describe('Answered messages.'),
  inputTokens: most.optional().describe('Tokens that models may be given in a period.'),
  outputTokens: most.optional().describe('Tokens that models may produce in a period.'),
  costMicroUsd: most.optional().describe('Turns whose model has no price count nothing here.'),
};

export const Limits = z.object(limits).meta({
  id: 'Limits',
  description: 'What may be used in a period of a quota. A limit that is absent does not hold.',
});
const SetLimits = z
  .object(limits)
  .refine(
    (given) => limitNames.some((name) => given[name] !== undefined),
    `set at least one of ${limitNames.join(', ')}`,
  );

const QuotaPeriod = z
  .enum(['month', 'day'], { error: 'must be one of month, day' })
  .describe('A calendar month or day in UTC.');

export const InitializeQuotaBody = z.object({
  limits: SetLimits.describe('What the tenant may use in a period. What is left out has no limit.'),
  period: QuotaPeriod.default('month'),
});

export const ResetQuotaBody = z.object({
  limits: SetLimits.optional().describe('New limits in place of all old ones.'),
  period: QuotaPeriod.optional(),
});

export const Quota = z
  .object({
    limits: Limits.describe('What is absent has no limit.'),
    period: QuotaPeriod,
    periodStart: moment.describe('Begin of the calendar period, or the last reset within it.'),
    periodEnd: moment,
    used: Counters,
    reserved: Limits.required().describe('What messages that are being answered now may use at most.'),
    remaining: Limits.describe('Limit less `used` and `reserved`, at least 0; for each limit.'),
    exceeded: z
      .array(LimitName)
      .describe('Limits that are used up: while there is one, no message is answered.'),
    warnings: z
      .array(z.object({ limit: LimitName, level: amount.describe('Percent: 80 or 100.'), warnedAt: moment }))
      .describe('Levels that were reached in this period.'),
    createdAt: moment,
    resetAt: moment.nullable(),
  })
  .meta({ id: 'Quota', description: 'What a tenant may use in a period, and what it has used.' });
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
  limitBytes: amount.nullable().describe('`null` is unlimited.'),
});

const StorageUse = z
  .object({
    mails: Stored.describe('Mails as they came, and their files.'),
    documents: Stored.describe('Documents as they were given.'),
  })
  .meta({ id: 'StorageUse', description: 'How much of its storage a tenant uses.' });

export const usageRouter = defineRouter({
  basePath: '/api/usage',
  service: 'usage',
  description:
    'What a tenant has used, and what it may use. Enforced in the chats: no request is ever answered 429 for it.',
  routes: {
    getUsage: route({
      method: 'get',
      path: '/:tenantId',
      access: 'admin',
      summary: "The tenant's counters, and on request a series of them.",
      description:
        'Without `from` and `to`: the current period of the quota, else the current calendar month, in UTC. Own and platform keys together; `groupBy=keySource` tells them apart. At most 400 days and 10,000 groups; days on which nothing was used are left out of a series.',
      query: z.object({
        from: From.optional(),
        to: To.optional(),
        groupBy: GroupBy.optional(),
      }),
      response: Usage,
    }),
    listUsageLogs: route({
      method: 'get',
      path: '/:tenantId/logs',
      access: 'admin',
      summary: 'Every turn that used something, those that ended last first.',
      query: LogQuery,
      response: z.array(UsageLogEntry),
      paged: true,
    }),
    getStorage: route({
      method: 'get',
      path: '/:tenantId/storage',
      access: 'admin',
      summary: 'The bytes that are kept of mails and documents, and may be.',
      description:
        'Beyond its limit a document is refused with 409, and a mail is taken in and answered without its files being kept. Operators lift the limits.',
      response: StorageUse,
      errors: [503],
    }),
    checkQuota: route({
      method: 'get',
      path: '/:tenantId/check',
      access: 'admin',
      summary: 'Whether the tenant is within its quota; one without a quota is.',
      description:
        'The allowance for the platform’s keys is apart from it, and shown with the counters: a tenant with keys of its own is answered without.',
      response: z
        .object({ allowed: z.boolean(), exceeded: z.array(LimitName) })
        .meta({ id: 'QuotaCheck', description: 'Whether the quota leaves room for another message.' }),
    }),
    getQuota: route({
      method: 'get',
      path: '/:tenantId/quota',
      access: 'admin',
      summary: 'The quota, with what is used, reserved and left in its current period.',
      response: Quota,
      errors: [404],
    }),
    initializeQuota: route({
      method: 'post',
      path: '/:tenantId/quota/initialize',
      access: 'admin',
      summary: 'Create the quota. What was used in the current calendar period counts already.',
      description:
        'Once the quota is used up, messages to the bots get one polite sentence per chat and hour, and no model is asked. 409 when there is a quota: other limits are set with a reset.',
      body: InitializeQuotaBody,
      response: Quota,
      status: 201,
      errors: [409],
    }),
    resetQuota: route({
      method: 'post',
      path: '/:tenantId/quota/reset',
      access: 'admin',
      summary: "Begin the quota's counters anew from now, if wanted with other limits or another period.",
      description: 'Series and logs keep what was used before.',
      body: ResetQuotaBody,
      response: Quota,
      errors: [404],
    }),
    deleteQuota: route({
      method: 'delete',
      path: '/:tenantId/quota',
      access: 'admin',
      summary: 'Remove the quota: nothing limits the tenant any more. 204 as well when there is none.',
      description:
        'Counters, series and logs stay, and the allowance for the platform’s keys holds as before. A quota that is created later counts the current calendar period again.',
    }),
  },
});
