import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import { accountChanged } from '@botyard/contracts/events/webhooks';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createBot,
  createIntegration,
  emitted,
  newToken,
  openTenancyServices,
  type TenancyServices,
} from '../../tenancy-services.ts';

let services: TenancyServices;

beforeAll(async () => {
  services = await openTenancyServices();
});
afterAll(() => services?.close());

async function connect() {
  const botId = await createBot(services, services.acme);
  const botToken = newToken(services.messenger);
  const integrationId = await createIntegration(services, services.acme, botId, { botToken });
  const { tenantId, admin: as } = services.acme;
  const path = `/api/bots/${tenantId}/${botId}/integrations/${integrationId}`;
  return {
    integrationId,
    botToken,
    sealed: async () => {
      const [row] = await services.harness.asOwner<{ sealed_secrets: string }>(
        'select sealed_secrets from tenancy.integrations where integration_id = $1',
        [integrationId],
      );
      const keyring = Keyring.parse(services.harness.secretsKeys);
      const binding = integrationBinding({ tenantId, integrationId });
      return (await keyring.open(row!.sealed_secrets, binding)).reveal();
    },
    change: (body: unknown) => services.tenancy.call('PUT', path, { as, body }),
    registration: async () => (await services.tenancy.call('GET', path, { as })).body.registration,
    tell: async (state: 'active' | 'restricted' | 'removed', reason: string, inMs: number) => {
      const happenedAt = new Date(Date.now() + inMs).toISOString();
      await services.harness.publish(accountChanged, { tenantId, integrationId, state, reason, happenedAt });
      await services.harness.settled('tenancy', 'webhooks');
    },
  };
}

test('a restriction is shown with its reason until it ends, and older news change nothing', async () => {
  const { tell, registration } = await connect();
  await tell('restricted', 'the quality is low', 20_000);
  expect(await registration()).toMatchObject({ lastError: 'the quality is low' });
  await tell('active', 'older news', 10_000);
  expect(await registration()).toMatchObject({ lastError: 'the quality is low' });
  await tell('active', 'the quality is fine', 30_000);
  expect(await registration()).not.toHaveProperty('lastError');
});

test('an integration whose account is removed fails with the reason, once, and its secrets are used no longer', async () => {
  const { integrationId, tell, registration } = await connect();
  await tell('removed', 'from before the credentials', -60_000);
  expect((await registration()).state).not.toBe('failed');
  await tell('removed', 'the app was removed', 10_000);
  await tell('removed', 'the token was revoked', 10_000);
  await tell('active', 'back again', 20_000);
  expect(await registration()).toMatchObject({ state: 'failed', lastError: 'the app was removed' });
  const saved = (await emitted(services.harness, integrationSaved)).filter(
    (event) => event.integrationId === integrationId,
  );
  expect(saved.filter(({ isWithoutAccount }) => isWithoutAccount)).toHaveLength(1);
});

test('the credentials of a removed account are stored nowhere; settings stay, and new credentials connect it again', async () => {
  const { botToken, tell, registration, sealed, change } = await connect();
  const settings = { messenger: { lostTopic: 'none' } };
  expect((await change({ settings })).status).toBe(200);
  expect(await sealed()).toContain(botToken);
  await tell('removed', 'the app was removed', 10_000);
  expect(await sealed()).not.toContain(botToken);
  expect(await sealed()).toContain('"lostTopic":"none"');

  const general = { settings: { messenger: { lostTopic: 'general' } } };
  const changed = await change(general);
  expect([changed.status, changed.body.settings]).toMatchObject([200, general.settings]);
  expect(await registration()).toMatchObject({ state: 'failed', lastError: 'the app was removed' });

  const other = newToken(services.messenger);
  expect((await change({ credentials: { botToken: other } })).status).toBe(200);
  expect(await sealed()).toContain(other);
  expect(await sealed()).toContain('"lostTopic":"general"');
  expect((await registration()).state).not.toBe('failed');
});
