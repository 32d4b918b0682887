import { randomBytes, randomInt } from 'node:crypto';
import type { DataOf, EventType } from '@botyard/contracts/events/definition';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import type { Answer } from '@botyard/testing/test-call';
import { createApp as createAgentsApp } from '../../agents/src/app.ts';
import { agentsConfig } from '../../agents/src/config.ts';
import { createApp as createUsageApp } from '../../usage/src/app.ts';
import { usageConfig } from '../../usage/src/config.ts';
import { createApp } from '../src/app.ts';
import { tenancyConfig } from '../src/config.ts';
import { answerTrials } from './account-trials.ts';

export interface TenancyServices {
  harness: ServiceHarness;
  messenger: FakeMessenger;
  idp: FakeIdp;
  tenancy: TestService;
  acme: People;
  /** Another tenant, with people of its own. */
  other: People;
  close(): Promise<void>;
}

export async function openTenancyServices(
  settings: (fakes: { messenger: FakeMessenger }) => Record<string, string> = () => ({}),
): Promise<TenancyServices> {
  const [harness, messenger, idp] = await Promise.all([
    ServiceHarness.open(),
    startFakeMessenger(),
    startFakeIdp(),
  ]);
  await answerTrials(harness, messenger);
  const tenancy = await startTenancy({ harness, idp }, harness.namespace, settings({ messenger }));
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

export function startTenancy(
  { harness, idp }: Pick<TenancyServices, 'harness' | 'idp'>,
  namespace = harness.namespace,
  more: Readonly<Record<string, string>> = {},
): Promise<TestService> {
  const env = {
    IDP_API_URL: idp.url,
    IDP_SECRET_KEY: idp.secretKey,
    MAILER_DOMAIN: 'bots.example',
    WEBHOOK_BASE_URL: 'https://hooks.example.com',
    ...more,
  };
  return harness.start({ service: 'tenancy', schema: tenancyConfig, createApp, env }, { namespace });
}

/** The agents service, which knows which agents exist, and asks tenancy who calls. */
export function startAgents(harness: ServiceHarness): Promise<TestService> {
  return harness.start({ service: 'agents', schema: agentsConfig, createApp: createAgentsApp });
}

export function startUsage(harness: ServiceHarness): Promise<TestService> {
  return harness.start({ service: 'usage', schema: usageConfig, createApp: createUsageApp });
}

/** A token of a bot that the messenger knows. */
export function newToken(messenger: FakeMessenger): string {
  const token = `${randomInt(1e8, 1e9)}:${randomBytes(26).toString('base64url')}`;
  messenger.addBot({ token });
  return token;
}

/** Creates a bot as the tenant's admin and returns its identifier. */
export async function createBot(
  { tenancy }: Pick<TenancyServices, 'tenancy'>,
  { tenantId, admin }: People,
  body: Record<string, unknown> = {},
): Promise<string> {
  const path = `/api/bots/${tenantId}/bots`;
  const answer = await tenancy.call('POST', path, { as: admin, body: { name: 'Support', ...body } });
  return created(answer).botId as string;
}

/** Connects a bot to the messenger as the tenant's admin and returns the integration's identifier. */
export async function createIntegration(
  { tenancy, messenger }: Pick<TenancyServices, 'tenancy' | 'messenger'>,
  { tenantId, admin }: People,
  botId: string,
  credentials: Record<string, unknown> = {},
): Promise<string> {
  const answer = await tenancy.call('POST', `/api/bots/${tenantId}/${botId}/integrations`, {
    as: admin,
    body: {
      integrationType: 'messenger',
      credentials: { botToken: newToken(messenger), botName: 'Support', ...credentials },
    },
  });
  return created(answer).integrationId as string;
}

function created(answer: Answer) {
  if (answer.status !== 201) throw new Error(`nothing was created: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** The events of a type in the outbox of tenancy, in their order. */
export async function emitted<E extends EventType>(harness: ServiceHarness, event: E): Promise<DataOf<E>[]> {
  const rows = await harness.asOwner<{ data: string }>(
    'select data from tenancy.outbox where subject like $1 order by id',
    [`%.event.${event.name}.%`],
  );
  return rows.map(({ data }) => event.schema.parse(JSON.parse(data)) as DataOf<E>);
}
