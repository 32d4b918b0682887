import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { type FakeSlack, startFakeSlack } from '@botyard/testing/fake-slack';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import type { SlackApp } from '@botyard/testing/slack/types';
import { type Answer, anonymous } from '@botyard/testing/test-call';
import { expect } from 'vitest';
import { createApp as createTenancy } from '../../../tenancy/src/app.ts';
import { tenancyConfig } from '../../../tenancy/src/config.ts';
import { createApp } from '../../src/app.ts';
import { webhooksConfig } from '../../src/config.ts';

const publicBaseUrl = 'https://bots.example.com';

/** Tenancy and webhooks, with an app at Slack that all tenants install. */
export interface InstallingServices {
  harness: ServiceHarness;
  slack: FakeSlack;
  app: SlackApp;
  tenancy: TestService;
  webhooks: TestService;
  acme: People;
  other: People;
}

export async function openInstallingServices(
  change: Partial<SlackApp> = {},
  start: (services: Started) => Promise<TestService> = startWebhooks,
): Promise<InstallingServices> {
  const [harness, slack] = await Promise.all([ServiceHarness.open(), startFakeSlack()]);
  const redirectUrls = [`${publicBaseUrl}/webhooks/slack/oauth`];
  const app = slack.apps.add({ isOrgReady: true, redirectUrls, ...change });
  const tenancy = await startTenancy({ harness });
  const webhooks = await start({ harness, slack, app });
  const [acme, other] = await Promise.all([
    createTenantWithPeople(harness, tenancy),
    createTenantWithPeople(harness, tenancy),
  ]);
  return { harness, slack, app, tenancy, webhooks, acme, other };
}

type Started = Pick<InstallingServices, 'harness' | 'slack' | 'app'>;

export const startTenancy = ({ harness }: Pick<Started, 'harness'>): Promise<TestService> =>
  harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp: createTenancy,
    env: { WEBHOOK_BASE_URL: publicBaseUrl },
  });

export const startWebhooks = (services: Started): Promise<TestService> =>
  services.harness.start({
    service: 'webhooks',
    schema: webhooksConfig,
    createApp,
    env: envOfWebhooks(services),
  });

export const envOfWebhooks = ({ slack, app }: Started): Record<string, string> => ({
  WEBHOOK_BASE_URL: publicBaseUrl,
  SLACK_API_URL: slack.url,
  SLACK_CLIENT_ID: app.clientId,
  SLACK_CLIENT_SECRET: app.clientSecret,
  SLACK_SIGNING_SECRET: app.signingSecret,
});

export async function closeInstallingServices(services: InstallingServices | undefined): Promise<void> {
  await services?.harness.close();
  await services?.slack.close();
}

export async function newBot({ tenancy }: InstallingServices, people: People): Promise<string> {
  const path = `/api/bots/${people.tenantId}/bots`;
  const { body } = await tenancy.call('POST', path, {
    as: people.admin,
    body: { name: `Bot ${randomUUID()}` },
  });
  return body.botId;
}

/** A bot that a person begins to connect, and the cookie of their browser. */
export interface Begun {
  botId: string;
  people: People;
  url: string;
  cookie: string;
}

/** A person presses "Add to Slack" in their browser. */
export async function begin(
  services: InstallingServices,
  people: People,
  { botId, as = people.admin, cookie }: { botId?: string; as?: Identity; cookie?: string } = {},
): Promise<Begun> {
  const bot = botId ?? (await newBot(services, people));
  const path = `/api/bots/${people.tenantId}/${bot}/integrations/slack/authorize`;
  const answer = await services.tenancy.call('POST', path, { as, headers: cookie ? { cookie } : {} });
  expect(answer.status).toBe(201);
  const [ownCookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return { botId: bot, people, url: answer.body.url, cookie: ownCookie };
}

/** The browser comes back from Slack, through the gateway. */
export function comeBack(
  { webhooks }: InstallingServices,
  address: string,
  cookie: string | undefined,
): Promise<Answer> {
  const { pathname, search } = new URL(address);
  return webhooks.call('GET', `${pathname}${search}`, {
    as: anonymous,
    headers: { accept: 'text/html', ...(cookie ? { cookie } : {}) },
  });
}

/** The whole way of a person who allows the installation. */
export async function install(
  services: InstallingServices,
  people: People,
  { place, botId }: { place: Parameters<FakeSlack['apps']['approve']>[1]; botId?: string },
): Promise<Begun & { answer: Answer }> {
  const begun = await begin(services, people, botId ? { botId } : {});
  const answer = await comeBack(services, services.slack.apps.approve(begun.url, place), begun.cookie);
  return { ...begun, answer };
}

export async function integrationsOf(
  { tenancy }: InstallingServices,
  { botId, people }: Pick<Begun, 'botId' | 'people'>,
) {
  const path = `/api/bots/${people.tenantId}/${botId}/integrations`;
  const { body } = await tenancy.call('GET', path, { as: people.admin });
  return body as {
    integrationId: string;
    maskedCredentials: Record<string, string>;
    registration: unknown;
  }[];
}
