import { z } from 'zod';
import { Registration } from './bot-integrations.ts';
import { id, moment } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { mailDomainRoutes } from './mail-domains.ts';
import { PageQuery } from './page.ts';
import { PlatformName } from './platform.ts';

const count = z.number().int();

/** Counts of conversations and deliveries, for all bots or one. */
export const Traffic = z.object({
  chats: count,
  people: count,
  messagesIn: count,
  messagesOut: count,
  lastDeliveryAt: moment.nullable().describe('When a message of a person last arrived.'),
});

export const Sending = z.object({
  repliesWaiting: count.describe('Replies that are not all at the platform yet.'),
  repliesFailed: count.describe('Replies of the last 8 days that were given up.'),
  blockedChats: count.describe('Chats in which the platform takes nothing from the bot any more.'),
  oldestWaitingAt: moment.nullable(),
});

export const PlatformStats = z
  .object({
    platform: PlatformName,
    integrations: count.describe('Connections of bots to the platform, disabled ones too.'),
    enabledIntegrations: count.describe('Those of them that are in use.'),
    registrations: z
      .object({
        pending: count.describe('Not registered yet.'),
        registered: count.describe('Known to the platform.'),
        failed: count.describe('Refused by the platform.'),
      })
      .describe('The integrations by how the platform knows of their webhook.'),
    ...Traffic.shape,
    ...Sending.shape,
  })
  .meta({
    id: 'PlatformStats',
    description: 'How one platform does in the tenant: integrations, messages, and what waits to be sent.',
  });
export type PlatformStats = z.input<typeof PlatformStats>;

/** State of an integration's webhook, if it has to be kept registered. */
export const WebhookCheck = z.object({
  nextCheckAt: moment
    .nullable()
    .describe('When the platform is asked next; `null` while a registration is due.'),
  repairs: count.describe(
    'How often a webhook that was elsewhere, gone or refused here was registered anew.',
  ),
  lastRepairAt: moment.nullable().describe('When a webhook was last registered anew; `null` if never.'),
  lastRepairReason: z
    .enum(['address', 'removed', 'secret', 'settings'])
    .nullable()
    .describe(
      'What was wrong then: another address, none at all, a secret that did not match, or other settings. `null` if never.',
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
      '`null` for a platform without webhooks, and until it is known.',
    ),
    ...Traffic.shape,
    ...Sending.shape,
  })
  .meta({
    id: 'IntegrationHealth',
    description: 'How one integration does: its webhook, messages, and what waits to be sent.',
  });
export type IntegrationHealth = z.input<typeof IntegrationHealth>;

export const platformsRouter = defineRouter({
  basePath: '/api/platforms',
  service: 'tenancy',
  description: 'How the platforms and their integrations in the active tenant do.',
  routes: {
    listPlatforms: route({
      method: 'get',
      path: '/',
      access: 'admin',
      summary: 'Get the figures of each platform.',
      response: z.array(PlatformStats),
      errors: [503],
    }),
    listIntegrationHealth: route({
      method: 'get',
      path: '/integrations',
      access: 'admin',
      summary: 'List the integrations with their registration, delivery and sending.',
      query: PageQuery.extend({ platform: PlatformName.optional(), botId: id.optional() }),
      response: z.array(IntegrationHealth),
      paged: true,
      errors: [503],
    }),
    getIntegrationHealth: route({
      method: 'get',
      path: '/integrations/:integrationId',
      access: 'admin',
      summary: 'Get how one integration does.',
      response: IntegrationHealth,
      errors: [503],
    }),
    ...mailDomainRoutes,
    checkIntegration: route({
      method: 'post',
      path: '/integrations/:integrationId/check',
      access: 'admin',
      summary: 'Ask the platform now where it delivers to, and register anew what is wrong.',
      description:
        'Goes on in the background, at most once a second for a bot: get the integration until `registration.checkedAt` is newer.',
      response: IntegrationHealth,
      status: 202,
      errors: [409, 503],
    }),
  },
});
