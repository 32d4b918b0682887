import { z } from 'zod';
import { id, moment, tenantFilter } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { pageQueryBy } from './page.ts';
import { Sending } from './platforms.ts';
import { LimitName, Limits } from './usage.ts';

const count = z.number().int();
const amount = z.number().int();

export const HeldWork = z.object({
  conversationsWaiting: count.describe('Conversations in which something waits for an answer.'),
  messagesWaiting: count.describe('Messages that are not answered yet.'),
  oldestWaitingAt: moment.nullable(),
  deadLetters: count.describe('Messages that were given up; an admin replays or drops them.'),
});

export const KeyCounts = z.object({
  active: count.describe('Keys that may be used.'),
  invalid: count.describe('Keys that their provider refused, or that a person marked.'),
  resting: count.describe('Active ones that their provider limits at the moment.'),
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
        all: count.describe('How many there are, disabled ones too.'),
        enabled: count.describe('How many are in use.'),
      })
      .describe('The bots of the tenant.'),
    integrations: z
      .object({
        all: count.describe('How many there are, disabled ones too.'),
        enabled: count.describe('How many are in use.'),
        pending: count.describe('The platform does not know of the webhook yet.'),
        registered: count.describe('The platform knows of the webhook.'),
        failed: count.describe('The platform refuses the webhook.'),
      })
      .describe('The connections of its bots to platforms.'),
    adminsKeptAfterLeaving: z
      .array(KeptAdmin)
      .describe(
        'People who are no longer admins at the identity provider and stay it here, because the tenant would have none. Make somebody else an admin: then they go.',
      ),
    work: HeldWork.nullable().describe(
      'What waits for an answer; `null` while the agents service does not answer.',
    ),
    sending: Sending.nullable().describe(
      'What waits to be sent; `null` while the webhooks service does not answer.',
    ),
    keys: KeyCounts.nullable().describe("The tenant's keys; `null` while the keys service does not answer."),
    quota: QuotaLeft.nullable().describe('`null` without a quota, too.'),
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
      .describe('What somebody should look at; `workHeld`: something has waited for more than 5 minutes.'),
    unavailable: z.array(part).describe('Services that did not answer: their part is `null`.'),
    checkedAt: moment,
  })
  .meta({
    id: 'DashboardStatus',
    description: 'What a tenant has, what waits, and what somebody should look at.',
  });
export type DashboardStatus = z.input<typeof DashboardStatus>;

export const SaidFigures = z.object({
  messagesIn: count,
  messagesOut: count.describe('Replies, but for those that could not be sent.'),
  answers: count.describe('Turns that an agent answered.'),
  failures: count.describe('Turns that ended in an apology, and messages that were given up.'),
});
export type SaidFigures = z.input<typeof SaidFigures>;

export const UsedFigures = z.object({
  inputTokens: amount,
  outputTokens: amount,
  toolCalls: amount,
  costMicroUsd: amount.describe('Of what has a price.'),
});
export type UsedFigures = z.input<typeof UsedFigures>;

const ActivityFigures = z.object({ ...SaidFigures.shape, ...UsedFigures.shape });

export const DashboardActivity = z
  .object({
    tenantIds: z.array(id).describe('Whose figures these are.'),
    unit: z.enum(['hour', 'day']),
    from: moment.describe('The first moment that belongs to it.'),
    to: moment.describe('The first moment that no longer belongs to it.'),
    totals: ActivityFigures.describe('Over the whole time.'),
    series: z
      .array(ActivityFigures.extend({ at: moment.describe('Begin of the hour or day, in UTC.') }))
      .describe('The earliest first, none left out.'),
    unavailable: z.array(part).describe('Services that did not answer: their figures are 0.'),
  })
  .meta({
    id: 'DashboardActivity',
    description: 'What was said and used, over the whole time and by hour or day.',
  });
export type DashboardActivity = z.input<typeof DashboardActivity>;

export const maxHours = 24 * 14;
export const maxDays = 92;

const ActivityQuery = z.object({
  unit: z.enum(['hour', 'day']).default('day'),
  from: z.iso.datetime({ offset: true }).optional().describe('By default 24 hours, or 30 days, before `to`.'),
  to: z.iso
    .datetime({ offset: true })
    .optional()
    .describe('By default now. Both are widened to whole hours or days.'),
});
export type ActivityQuery = z.output<typeof ActivityQuery>;

const bounds = `At most ${maxHours} hours or ${maxDays} days at a time.`;

export const dashboardRouter = defineRouter({
  basePath: '/api/dashboard',
  service: 'tenancy',
  description: 'Status and activity of the active tenant, or of all tenants that the caller administers.',
  routes: {
    getDashboardStatus: route({
      method: 'get',
      path: '/status',
      access: 'admin',
      summary: 'Get how the active tenant does: bots, integrations, keys, quota, held work.',
      response: DashboardStatus,
    }),
    getDashboardActivity: route({
      method: 'get',
      path: '/activity',
      access: 'admin',
      summary: 'Get messages, answers, failures, tokens and cost of the active tenant by hour or day.',
      description: bounds,
      query: ActivityQuery,
      response: DashboardActivity,
    }),
    listDashboardStatus: route({
      method: 'get',
      path: '/tenants/status',
      access: 'anyAdmin',
      summary: 'List how each of the tenants does that the caller administers.',
      query: pageQueryBy(z.uuid()).extend({
        limit: z.coerce.number().int().min(1).max(100).default(50),
        ...tenantFilter.shape,
      }),
      response: z.array(DashboardStatus),
      paged: true,
    }),
    getTenantsActivity: route({
      method: 'get',
      path: '/tenants/activity',
      access: 'anyAdmin',
      summary: 'Get the activity of all tenants together that the caller administers.',
      description: `${bounds} Of more than 500 tenants the newest.`,
      query: ActivityQuery.extend(tenantFilter.shape),
      response: DashboardActivity,
    }),
  },
});
