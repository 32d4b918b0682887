import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { EventStream } from './event-stream.ts';
import { ToolTicket } from './integrations-tickets.ts';
import { Chat, DeadLetter, Message } from './interactions-shapes.ts';
import { LimitName } from './usage.ts';

/** The known state of an integration's webhook at its platform has changed. */
const IntegrationChange = z.object({
  integrationId: id,
  registration: z.object({
    state: z.enum(['pending', 'registered', 'failed']),
    lastError: z.string().optional(),
    pendingUpdates: z.number().int().optional(),
    checkedAt: moment,
    mode: z
      .enum(['polling'])
      .optional()
      .describe('`polling`: the platform is asked for messages. Absent where it delivers them.'),
  }),
});

/** Use reached 80 or 100 percent of a limit. */
const QuotaNear = z.object({
  limit: LimitName,
  level: z.union([z.literal(80), z.literal(100)]).describe('Percent of the limit.'),
  used: z.number().int(),
  most: z.number().int(),
  periodStart: moment,
  periodEnd: moment,
});

/** One of our processes is shutting down. */
const ServiceChange = z.object({
  serviceName: z.string(),
  instanceId: z.string(),
  state: z.enum(['draining', 'gone']),
});

/** Data of each kind of live event, in the same shapes as the lists. */
export const liveEvents = {
  'message.received': Message,
  'message.edited': Message,
  'message.sent': Message,
  'chat.updated': Chat,
  'approval.waiting': ToolTicket,
  'dead_letter.created': DeadLetter,
  'integration.changed': IntegrationChange,
  'quota.near': QuotaNear,
  'service.changed': ServiceChange,
} as const;
export type LiveEventName = keyof typeof liveEvents;

export const liveRouter = defineRouter({
  basePath: '/api/events',
  service: 'agents',
  description: 'What happens in the active tenant, as it happens.',
  routes: {
    listenToEvents: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'Listen to what happens in a tenant.',
      description:
        'Server-sent events (`text/event-stream`); read them with `fetch`, which can send a token, or with a library on top of it. ' +
        'Each has an `id`, an `event` and `data` as the lists have it: `message.received`, `message.edited`, `message.sent` (`status` tells whether it arrived), `chat.updated`, ' +
        '`approval.waiting`, `dead_letter.created`, `integration.changed`, `quota.near`; for operators also `service.changed`. ' +
        'After a lost connection `Last-Event-ID` continues where it ended, for an hour. The event `reset` says that something is missing: read the lists again. ' +
        'A comment comes every 15 seconds. The stream ends after 15 minutes, and as soon as the caller may not listen any more: connect again. ' +
        'A caller may hold 20 streams; 429 beyond that.',
      response: EventStream,
      errors: [429, 503],
    }),
  },
});
