import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import type { Identity } from '@botyard/contracts/identity';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { user } from '@botyard/testing/test-call';
import { createApp as createAgentsApp } from '../../agents/src/app.ts';
import { agentsConfig } from '../../agents/src/config.ts';
import { createApp as createKeysApp } from '../../keys/src/app.ts';
import { keysConfig } from '../../keys/src/config.ts';
import { createApp as createUsageApp } from '../../usage/src/app.ts';
import { usageConfig } from '../../usage/src/config.ts';
import { createApp as createWebhooksApp } from '../../webhooks/src/app.ts';
import { webhooksConfig } from '../../webhooks/src/config.ts';
import { createApp } from '../src/app.ts';
import { tenancyConfig } from '../src/config.ts';
import { answerTrials } from './account-trials.ts';

/** The tenancy service with its vendors played by fakes; the other services join as a test needs them. */
export interface Platform {
  harness: ServiceHarness;
  messenger: FakeMessenger;
  idp: FakeIdp;
  tenancy: TestService;
  acme: People;
  /** Another tenant, with people of its own. */
  other: People;
  close(): Promise<void>;
}

export async function openPlatform(): Promise<Platform> {
  const [harness, messenger, idp] = await Promise.all([
    ServiceHarness.open(),
    startFakeMessenger({ limitsWebhookRate: false, retryScale: 0.05 }),
    startFakeIdp(),
  ]);
  await answerTrials(harness, messenger);
  const tenancy = await startTenancy({ harness, idp });
  const [acme, other] = await Promise.all([
    createTenantWithPeople(harness, tenancy),
    createTenantWithPeople(harness, tenancy),
  ]);
  const close = async () => {
    await harness.close();
    await Promise.all([messenger.close(), idp.close()]);
  };
  return { harness, messenger, idp, tenancy, acme, other, close };
}

export const startAgents = ({ harness }: Platform, env: Record<string, string> = {}): Promise<TestService> =>
  harness.start({ service: 'agents', schema: agentsConfig, createApp: createAgentsApp, env });

export const startKeys = ({ harness }: Platform, env: Record<string, string> = {}): Promise<TestService> =>
  harness.start({ service: 'keys', schema: keysConfig, createApp: createKeysApp, env });

export const startUsage = ({ harness }: Platform): Promise<TestService> =>
  harness.start({ service: 'usage', schema: usageConfig, createApp: createUsageApp });

export const startWebhooks = (
  { harness, messenger }: Platform,
  baseUrl: string,
  env: Record<string, string> = {},
): Promise<TestService> =>
  harness.start({
    service: 'webhooks',
    schema: webhooksConfig,
    createApp: createWebhooksApp,
    env: { MESSENGER_API_URL: messenger.url, WEBHOOK_BASE_URL: baseUrl, ...env },
  });

export const startTenancy = ({ harness, idp }: Pick<Platform, 'harness' | 'idp'>): Promise<TestService> =>
  harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp,
    env: {
      IDP_API_URL: idp.url,
      IDP_SECRET_KEY: idp.secretKey,
      MAILER_DOMAIN: 'bots.example',
    },
  });

/** Calls and insists on a status. */
export async function callOk(
  service: TestService,
  method: string,
  path: string,
  options: { as: Identity; body?: unknown; status?: number },
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails when that isn't there
): Promise<any> {
  const { status = method === 'POST' ? 201 : method === 'DELETE' ? 204 : 200, ...call } = options;
  const answer = await service.call(method, path, call);
  if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

export interface Person {
  as: Identity;
  userId: string;
  idpUserId: string;
}

/** Somebody who was seen once and belongs to no tenant. */
export async function newPerson({ tenancy }: Platform): Promise<Person> {
  const idpUserId = `user_${randomUUID()}`;
  const as = user(idpUserId);
  const { userId } = await callOk(tenancy, 'GET', '/api/current-user', { as });
  return { as, userId, idpUserId };
}

export async function userIdOf({ tenancy }: Platform, as: Identity): Promise<string> {
  return (await callOk(tenancy, 'GET', '/api/current-user', { as })).userId;
}

/** A token of a bot that the messenger knows. */
export function newToken(messenger: FakeMessenger): string {
  const token = `${randomInt(1e8, 1e9)}:${randomBytes(26).toString('base64url')}`;
  messenger.addBot({ token });
  return token;
}

export const integrationBody = (botToken: string) => ({
  integrationType: 'messenger',
  credentials: { botToken, botName: 'Support' },
});

/** Events of a type in the outbox of tenancy, in their order. */
export async function emitted<E extends EventType>({ harness }: Platform, event: E): Promise<DataOf<E>[]> {
  const rows = await harness.asOwner<{ data: string }>(
    'select data from tenancy.outbox where subject like $1 order by id',
    [`%.event.${event.name}.%`],
  );
  return rows.map(({ data }) => event.schema.parse(JSON.parse(data)) as DataOf<E>);
}

/** An account that a person has proven to be theirs. */
export async function linkAccount(
  { harness }: Platform,
  userId: string,
  platformUserId: string,
  platform = 'messenger',
): Promise<void> {
  await harness.asOwner(
    `insert into tenancy.identity_links (link_id, user_id, platform, platform_user_id) values ($1, $2, $3, $4)`,
    [randomUUID(), userId, platform, platformUserId],
  );
}
