import { randomUUID } from 'node:crypto';
import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { type FakeSlack, startFakeSlack } from '@botyard/testing/fake-slack';
import type { TestService } from '@botyard/testing/service-harness';
import type { SlackApps } from '@botyard/testing/slack/apps';
import type { Installation, SlackApp, SlackDelivery } from '@botyard/testing/slack/types';
import { conversationOf, type Reply } from '../../replies.ts';
import {
  closeWebhooksServices,
  openWebhooksServices,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { passOn } from './gateway.ts';

export interface SlackServices extends WebhooksServices {
  slack: FakeSlack;
  webhooks: TestService;
  /** Passes on what the platform sends, as the gateway does it. */
  gateway: { url: string; close(): Promise<void> };
  /** The installation's own app, which many tenants install. */
  app: SlackApp;
}

export async function openSlackServices(): Promise<SlackServices> {
  const services = await openWebhooksServices();
  const slack = await startFakeSlack({ retryScale: 0.0001, burst: 5 });
  const app = slack.apps.add({ isOrgReady: true });
  const webhooks = await startWebhooks(services, {
    SLACK_API_URL: slack.url,
    SLACK_CLIENT_ID: app.clientId,
    SLACK_CLIENT_SECRET: app.clientSecret,
    SLACK_SIGNING_SECRET: app.signingSecret,
  });
  const gateway = await passOn(webhooks);
  await slack.apps.setRequestUrl(app, `${gateway.url}/webhooks/slack`);
  slack.apps.subscribe(app);
  app.interactivityUrl = `${gateway.url}/webhooks/slack`;
  return { ...services, slack, webhooks, gateway, app };
}

export async function closeSlackServices(services: SlackServices | undefined): Promise<void> {
  await services?.slack.close();
  await services?.gateway.close();
  await closeWebhooksServices(services);
}

/** A bot in a workspace, with the ids of its integration. */
export interface SlackBot {
  tenantId: string;
  integrationId: string;
  botId: string;
  teamId: string;
  installation: Installation;
}

/** Announces an integration of an installation, as the tenancy service does it. */
export async function connect(
  { harness }: SlackServices,
  installation: Installation,
  { signingSecret, ...settings }: { signingSecret?: string; directMessages?: string } = {},
): Promise<SlackBot> {
  const ids = { tenantId: randomUUID(), integrationId: randomUUID(), botId: randomUUID() };
  const { app, teamId, enterpriseId, token, botUserId, botId } = installation;
  const secrets = {
    botToken: token,
    ...(signingSecret ? { signingSecret } : {}),
    appId: app.appId,
    ...(teamId ? { teamId } : {}),
    ...(enterpriseId ? { enterpriseId } : {}),
    botUserId,
    botId,
    ...settings,
  };
  const sealedSecrets = await Keyring.parse(harness.secretsKeys).seal(
    new Secret(JSON.stringify(secrets)),
    integrationBinding(ids),
  );
  await harness.publish(integrationSaved, {
    ...ids,
    integrationType: 'slack',
    isEnabled: true,
    sealedSecrets,
    revision: 1,
  });
  await harness.settled('webhooks', 'tenancy');
  return { ...ids, teamId: teamId ?? '', installation };
}

/** A bot with an app of its own, which is connected step by step. */
export async function newBot(
  services: SlackServices,
  {
    settings = {},
    place,
  }: { settings?: { directMessages?: string }; place?: Parameters<SlackApps['install']>[1] } = {},
): Promise<SlackBot> {
  const { slack, gateway } = services;
  const app = slack.apps.add({ isOrgReady: true });
  const installation = slack.apps.install(app, place ?? { teamId: slack.world.addTeam() });
  const bot = await connect(services, installation, { signingSecret: app.signingSecret, ...settings });
  const address = `${gateway.url}/webhooks/slack/${bot.botId}`;
  await slack.apps.setRequestUrl(app, address);
  slack.apps.subscribe(app);
  app.interactivityUrl = address;
  return bot;
}

/** A person, their direct messages with the bot, and a channel with both. */
export function placesOf({ slack: { world } }: SlackServices, { installation, teamId }: SlackBot) {
  const person = world.addPerson(teamId, { displayName: 'Anna' });
  const members = [person.id, installation.botUserId];
  return {
    person,
    direct: world.direct(teamId, person.id, installation.botUserId),
    channel: world.addChannel(teamId, { name: 'support', members }),
    mention: `<@${installation.botUserId}>`,
  };
}

export const conversationIn = (bot: SlackBot, chat: Pick<Reply['chat'], 'platformChatId' | 'threadId'>) => {
  const { reply } = conversationOf({ ...bot, botToken: '', secret: '', isEnabled: true, revision: 1 });
  return (text: string) =>
    reply(text, { platform: 'slack', chat: { kind: 'group', title: '#support', ...chat } });
};

/** Waits until the platform got its answer to everything that it sent, and returns those deliveries. */
export async function settled({ slack }: SlackServices, from: number): Promise<SlackDelivery[]> {
  const sent = slack.deliveries.all.slice(from);
  for (const one of sent)
    await slack.deliveries.waitFor((delivery) => delivery === one && delivery.state !== 'sending');
  return sent;
}
