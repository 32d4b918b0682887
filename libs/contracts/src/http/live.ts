import { z } from 'zod';
import { id, moment } from './common.ts';
import { defineRouter, responder } from './contract.ts';
import { ReleaseState } from './definitions-agent-releases.ts';
import { RunProgress } from './evaluations-runs.ts';
import { EventStream } from './event-stream.ts';
import { ToolTicket } from './integrations-tickets.ts';
import { ChatNote } from './interactions-inbox.ts';
import { ChatPresence } from './interactions-presence.ts';
import { Chat, DeadLetter, Message } from './interactions-shapes.ts';
import { LimitName } from './usage.ts';

/** The known state of an integration's webhook at its platform has changed. */
const IntegrationChange = z.object({
  integrationId: id,
  registration: z.object({
    state: z.enum(['pending', 'registered', 'failed']),
    lastError: z.string().optional(),
    pendingUpdates: z.int().optional(),
    checkedAt: moment,
    mode: z
      .enum(['polling'])
      .optional()
      .describe('`polling`: the platform is polled for messages. Omitted if it delivers them to a webhook.'),
  }),
});

/** Use reached 80 or 100 percent of a limit. */
const QuotaNear = z.object({
  limit: LimitName,
  level: z.union([z.literal(80), z.literal(100)]).describe('Percent of the limit.'),
  used: z.int(),
  most: z.int(),
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
  'message.deleted': Message,
  'message.sent': Message,
  'chat.updated': Chat,
  'chat.presence': ChatPresence,
  'note.created': ChatNote.extend({ chatId: id }),
  'approval.waiting': ToolTicket,
  'dead_letter.created': DeadLetter,
  'integration.changed': IntegrationChange,
  'quota.near': QuotaNear,
  'evaluation.changed': RunProgress,
  'release.changed': ReleaseState,
  'service.changed': ServiceChange,
} as const;
export type LiveEventName = keyof typeof liveEvents;

export const liveRouter = defineRouter({
  basePath: '/api/events',
  service: 'agents',
  description: 'Live events of the active tenant.',
  routes: {
    listenToEvents: responder.get('/', {
      summary: 'Listen to the live events of a tenant.',
      description:
        'Server-sent events (`text/event-stream`). Read them with `fetch`, which can send a token, or with a library based on it. ' +
        'Each event has an `id`, an `event`, and `data` in the shape that the lists use. The events are ' +
        '`message.received`, `message.edited`, `message.deleted`, `message.sent` (`status` shows whether it arrived), ' +
        '`chat.updated`, `chat.presence`, `note.created`, `approval.waiting`, `dead_letter.created`, `integration.changed`, `quota.near`, `evaluation.changed`, `release.changed`, and for operators `service.changed`. ' +
        '`chat.presence` is stored nowhere: it is sent only to those who are connected, and about others than themselves. ' +
        'After a lost connection, `Last-Event-ID` resumes the stream where it ended, for up to an hour. ' +
        'The event `reset` means that events are missing: read the lists again. A comment is sent every 15 seconds. ' +
        'The stream ends after 15 minutes, and as soon as the caller loses access: connect again. ' +
        'Returns 503 if the caller already holds 20 streams, or their tenant 1,000.',
      response: EventStream,
      errors: [503],
    }),
  },
});
