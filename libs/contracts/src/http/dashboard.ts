import { z } from 'zod';
import { id, moment, tenantFilter } from './common.ts';
import { admin, anyAdminOrOperator, defineRouter } from './contract.ts';
import { pageQueryBy } from './page.ts';
import { Sending } from './platforms.ts';
import { LimitName, Limits } from './usage.ts';

const count = z.int();
const amount = z.int();

export const HeldWork = z.object({
  conversationsWaiting: count.describe('The number of conversations with messages waiting for an answer.'),
  messagesWaiting: count.describe('The number of messages that are not answered yet.'),
  oldestWaitingAt: moment.nullable(),
  deadLetters: count.describe(
    'The number of messages whose processing was abandoned. An admin can replay or discard them.',
  ),
});

export const KeyCounts = z.object({
  active: count.describe('The number of keys that may be used.'),
  invalid: count.describe(
    'The number of keys that were refused by their provider or marked as invalid by a person.',
  ),
  resting: count.describe('The number of active keys that are currently rate limited by their provider.'),
});
export type KeyCounts = z.input<typeof KeyCounts>;

export const QuotaLeft = z.object({
  limits: Limits,
  remaining: Limits,
  exceeded: z.array(LimitName),
  periodEnd: moment,
});

export const KeptAdmin = z.object({ userId: id, keptSince: moment });

const part = z.enum(['agents', 'webhooks', 'keys', 'usage']);
export type DashboardPart = z.output<typeof part>;

export const DashboardStatus = z
  .object({
    tenantId: id,
    name: z.string(),
    bots: z
      .object({
        all: count.describe('The total, including disabled ones.'),
        enabled: count.describe('The number in use.'),
      })
      .describe('The number of bots of the tenant.'),
    integrations: z
      .object({
        all: count.describe('The total, including disabled ones.'),
        enabled: count.describe('The number in use.'),
        pending: count.describe('Integrations whose webhook is not registered yet.'),
        registered: count.describe('Integrations whose webhook is registered.'),
        failed: count.describe('Integrations whose webhook the platform refused.'),
      })
      .describe('The number of integrations, which connect bots to platforms.'),
    adminsKeptAfterLeaving: z
      .array(KeptAdmin)
      .describe(
        'People who are no longer admins at the identity provider, but remain admins here because the tenant ' +
          'would otherwise have none. They lose the role when somebody else becomes an admin.',
      ),
    work: HeldWork.nullable().describe(
      'Work waiting for an answer; `null` if the agents service does not respond.',
    ),
    sending: Sending.nullable().describe(
      'Replies waiting to be sent; `null` if the webhooks service does not respond.',
    ),
    keys: KeyCounts.nullable().describe("The tenant's keys; `null` if the keys service does not respond."),
    quota: QuotaLeft.nullable().describe(
      "The tenant's quota; `null` if it has none, or if the usage service does not respond.",
    ),
    problems: z
      .array(
        z.object({
          kind: z.enum([
            'registrationsFailed',
            'deadLetters',
            'repliesFailed',
            'keysInvalid',
            'quotaExceeded',
            'adminsKeptAfterLeaving',
            'workHeld',
          ]),
          count,
        }),
      )
      .describe(
        'Problems that need attention. `workHeld`: messages have been waiting for more than 5 minutes.',
      ),
    unavailable: z.array(part).describe('Services that did not respond. Their parts are `null`.'),
    checkedAt: moment,
  })
  .meta({
    id: 'DashboardStatus',
    description: 'The status of a tenant: its bots, pending work and problems.',
  });
export type DashboardStatus = z.input<typeof DashboardStatus>;

export const SaidFigures = z.object({
  messagesIn: count,
  messagesOut: count.describe('Replies of bots, except those that could not be sent.'),
  answers: count.describe('The number of turns that an agent answered.'),
  failures: count.describe(
    'The number of turns that ended in an apology, plus messages whose processing was abandoned.',
  ),
});
export type SaidFigures = z.input<typeof SaidFigures>;

export const UsedFigures = z.object({
  inputTokens: amount,
  outputTokens: amount,
  toolCalls: amount,
  costMicroUsd: amount.describe('Cost of usage that has a price, in millionths of a US dollar.'),
});
export type UsedFigures = z.input<typeof UsedFigures>;

const ActivityFigures = z.object({ ...SaidFigures.shape, ...UsedFigures.shape });

export const DashboardActivity = z
  .object({
    tenantIds: z.array(id).describe('The tenants that the figures cover.'),
    unit: z.enum(['hour', 'day']),
    from: moment.describe('Start of the period (inclusive).'),
    to: moment.describe('End of the period (exclusive).'),
    totals: ActivityFigures.describe('Totals for the whole period.'),
    series: z
      .array(ActivityFigures.extend({ at: moment.describe('Start of the hour or day, in UTC.') }))
      .describe('One entry for each hour or day, oldest first, without gaps.'),
    unavailable: z.array(part).describe('Services that did not respond. Their figures are 0.'),
  })
  .meta({ id: 'DashboardActivity', description: 'Messages and usage, in total and by hour or day.' });
export type DashboardActivity = z.input<typeof DashboardActivity>;

export const maxHours = 24 * 14;
export const maxDays = 92;

const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2100, 0, 1);
/** Rounded to a whole day, a moment of the year 9999 would be one that ISO 8601 writes with a sign. */
const isPlausible = (text: string): boolean => Date.parse(text) >= earliest && Date.parse(text) <= latest;
const plausible = z.iso.datetime({ offset: true }).refine(isPlausible, 'must be between 2000 and 2100');

const ActivityQuery = z.object({
  unit: z.enum(['hour', 'day']).default('day'),
  from: plausible
    .optional()
    .describe(
      'Start of the period, rounded down to a whole hour or day. Defaults to 24 hours or 30 days before `to`.',
    ),
  to: plausible.optional().describe('End of the period, rounded up to a whole hour or day. Defaults to now.'),
});
export type ActivityQuery = z.output<typeof ActivityQuery>;

const bounds = `The period may cover at most ${maxHours} hours or ${maxDays} days.`;

export const dashboardRouter = defineRouter({
  basePath: '/api/dashboard',
  service: 'tenancy',
  description:
    'Status and activity of the active tenant, or of all tenants that the caller administers; for an operator, of all tenants.',
  routes: {
    getDashboardStatus: admin.get('/status', {
      summary: 'Get the status of the active tenant: bots, integrations, keys, quota and pending work.',
      response: DashboardStatus,
    }),
    getDashboardActivity: admin.get('/activity', {
      summary: 'Get messages, answers, failures, tokens and cost of the active tenant by hour or day.',
      description: bounds,
      query: ActivityQuery,
      response: DashboardActivity,
    }),
    listDashboardStatus: anyAdminOrOperator.list('/tenants/status', {
      summary:
        'List the status of each tenant that the caller administers, or of all tenants for an operator.',
      query: pageQueryBy(z.uuid()).extend({
        limit: z.coerce.number().int().min(1).max(100).default(50),
        ...tenantFilter.shape,
      }),
      response: z.array(DashboardStatus),
    }),
    getTenantsActivity: anyAdminOrOperator.get('/tenants/activity', {
      summary:
        'Get the combined activity of all tenants that the caller administers, or of all tenants for an operator.',
      description: `${bounds} Of more than 500 tenants, only the newest 500 are included.`,
      query: ActivityQuery.extend(tenantFilter.shape),
      response: DashboardActivity,
    }),
  },
});
