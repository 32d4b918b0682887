import { z } from 'zod';
import { Registration } from './bot-integrations.ts';
import { id, moment } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { mailDomainRoutes } from './mail-domains.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

const count = z.int();

/** Counts of conversations and deliveries, for all bots or one. */
export const Traffic = z.object({
  chats: count,
  people: count,
  messagesIn: count,
  messagesOut: count,
  lastDeliveryAt: moment.nullable().describe('When a message from a person last arrived.'),
});

export const Sending = z.object({
  repliesWaiting: count.describe('Replies that the platform has not completely received yet.'),
  repliesFailed: count.describe('Replies of the last 8 days that were abandoned.'),
  blockedChats: count.describe('Chats in which the platform no longer accepts messages from the bot.'),
  oldestWaitingAt: moment.nullable(),
});

export const PlatformStats = z
  .object({
    platform: PlatformName,
    integrations: count.describe('Connections of bots to the platform, including disabled ones.'),
    enabledIntegrations: count.describe('Connections that are enabled.'),
    registrations: z
      .object({
        pending: count.describe('Not registered yet.'),
        registered: count.describe('Known to the platform.'),
        failed: count.describe('Refused by the platform.'),
      })
      .describe('The integrations, by the state of their webhook at the platform.'),
    ...Traffic.shape,
    ...Sending.shape,
  })
  .meta({
    id: 'PlatformStats',
    description: 'The state of one platform in the tenant: integrations, messages, and replies to send.',
  });
export type PlatformStats = z.input<typeof PlatformStats>;

/** State of an integration's webhook, if it has to be kept registered. */
export const WebhookCheck = z.object({
  nextCheckAt: moment
    .nullable()
    .describe('When the platform is checked next. `null` while a registration is due.'),
  repairs: count.describe(
    'Number of times the webhook was registered again because it had another address, was gone, or was refused here.',
  ),
  lastRepairAt: moment.nullable().describe('When the webhook was last registered again. `null` if never.'),
  lastRepairReason: z
    .enum(['address', 'removed', 'secret', 'settings'])
    .nullable()
    .describe(
      'Why the webhook was last registered again: another address, no webhook, a secret that did not match, or other settings. `null` if never.',
    ),
});

export const IntegrationHealth = z
  .object({
    integrationId: id,
    botId: id,
    botName: z.string(),
    platform: PlatformName,
    enabled: z.boolean(),
    registration: Registration,
    webhook: WebhookCheck.nullable().describe(
      'The state of the webhook. `null` for a platform without webhooks, and until it is known.',
    ),
    ...Traffic.shape,
    ...Sending.shape,
  })
  .meta({
    id: 'IntegrationHealth',
    description: 'The state of one integration: webhook, messages, and replies to send.',
  });
export type IntegrationHealth = z.input<typeof IntegrationHealth>;

export const platformsRouter = defineRouter({
  basePath: '/api/platforms',
  service: 'tenancy',
  description: 'The state of the platforms and their integrations in the active tenant.',
  routes: {
    listPlatforms: admin.get('/', {
      summary: 'Get the statistics of each platform.',
      response: z.array(PlatformStats),
      errors: [503],
    }),
    listIntegrationHealth: admin.list('/integrations', {
      summary: 'List the integrations with their registration, deliveries and sending.',
      query: PageQuery.extend({ platform: PlatformName.optional(), botId: id.optional() }),
      response: z.array(IntegrationHealth),
      errors: [503],
    }),
    getIntegrationHealth: admin.get('/integrations/:integrationId', {
      summary: 'Get the state of one integration.',
      response: IntegrationHealth,
      errors: [503],
    }),
    ...mailDomainRoutes,
    checkIntegration: admin.post('/integrations/:integrationId/check', {
      summary: "Check an integration's webhook at the platform now, and repair it if necessary.",
      description:
        'Runs in the background, at most once a second for a bot. Poll the integration until `registration.checkedAt` is newer.',
      response: IntegrationHealth,
      status: 202,
      errors: [409, 503],
    }),
  },
});
