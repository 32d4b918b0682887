import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import { Outbox } from '@botyard/shared/bus/outbox';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameAccounts } from '../../../src/integrations/domain/name-accounts.ts';
import {
  createBot,
  createIntegration,
  emitted,
  newToken,
  openTenancyServices,
  type TenancyServices,
} from '../../tenancy-services.ts';

let services: TenancyServices;
let keyring: Keyring;
let bot: { botId: string; integrationId: string; accountId: string };

beforeAll(async () => {
  services = await openTenancyServices();
  keyring = Keyring.parse(services.harness.secretsKeys);
  bot = await connect();
});
afterAll(() => services?.close());

async function connect() {
  const botId = await createBot(services, services.acme);
  const botToken = newToken(services.messenger);
  const integrationId = await createIntegration(services, services.acme, botId, { botToken });
  return { botId, integrationId, accountId: String(services.messenger.bot(botToken).id) };
}

/** As a process of version 0.1.0 leaves an integration: with a hash of its token. */
const asFormerVersion = (integrationId: string) =>
  services.harness.asOwner('update tenancy.integrations set token_hash = $2 where integration_id = $1', [
    integrationId,
    `hash of ${integrationId}`,
  ]);

async function nameAll(): Promise<void> {
  const { harness } = services;
  const database = harness.databaseAs('tenancy');
  const outbox = new Outbox({ bus: await harness.busAs('tenancy'), database, schema: 'tenancy' });
  await nameAccounts({ database, keyring, outbox, log: harness.log('tenancy') });
}

const stored = async (integrationId: string) => {
  const [row] = await services.harness.asOwner<{ account: string | null; revision: number }>(
    'select account_id as account, revision from tenancy.integrations where integration_id = $1',
    [integrationId],
  );
  return row!;
};

const lastEvent = async (integrationId: string) =>
  (await emitted(services.harness, integrationSaved)).findLast(
    (event) => event.integrationId === integrationId,
  );

const registration = async ({ botId, integrationId }: { botId: string; integrationId: string }) => {
  const { tenancy, acme } = services;
  const path = `/api/bots/${acme.tenantId}/${botId}/integrations/${integrationId}`;
  return (await tenancy.call('GET', path, { as: acme.admin })).body.registration;
};

test('a new integration has its account, and announces it', async () => {
  expect((await stored(bot.integrationId)).account).toBe(bot.accountId);
  expect(await lastEvent(bot.integrationId)).toMatchObject({ accountId: bot.accountId, revision: 1 });
});

test('an integration of the former version gets its account, and nothing is registered again for it', async () => {
  await asFormerVersion(bot.integrationId);
  expect((await stored(bot.integrationId)).account).toBeNull();
  await nameAll();
  expect(await stored(bot.integrationId)).toEqual({ account: bot.accountId, revision: 1 });
  expect(await lastEvent(bot.integrationId)).toMatchObject({ accountId: bot.accountId, revision: 1 });
});

test('of two integrations of one account the older one stays, and the newer one fails and says why', async () => {
  const newer = await connect();
  const secrets = {
    botToken: '1:a',
    botUsername: 'one',
    platformBotId: bot.accountId,
    webhookSecretToken: 's',
  };
  const { tenantId } = services.acme;
  const sealed = await keyring.seal(
    new Secret(JSON.stringify(secrets)),
    integrationBinding({ tenantId, integrationId: newer.integrationId }),
  );
  await services.harness.asOwner(
    'update tenancy.integrations set sealed_secrets = $2 where integration_id = $1',
    [newer.integrationId, sealed],
  );
  // Whichever of them is looked at first.
  await asFormerVersion(newer.integrationId);
  await asFormerVersion(bot.integrationId);
  await nameAll();
  expect((await stored(bot.integrationId)).account).toBe(bot.accountId);
  expect((await stored(newer.integrationId)).account).toBeNull();
  expect(await registration(newer)).toMatchObject({
    state: 'failed',
    lastError: expect.stringContaining('an older integration has this account'),
  });
  expect(await lastEvent(newer.integrationId)).toMatchObject({ isWithoutAccount: true, revision: 2 });

  const botToken = newToken(services.messenger);
  const path = `/api/bots/${tenantId}/${newer.botId}/integrations/${newer.integrationId}`;
  const body = { credentials: { botToken } };
  await services.tenancy.call('PUT', path, { as: services.acme.admin, body });
  expect(await registration(newer)).toEqual({ state: 'pending' });
  expect(await lastEvent(newer.integrationId)).toMatchObject({
    accountId: String(services.messenger.bot(botToken).id),
    revision: 3,
  });
});

test('an account that another integration has is refused, also with another token of it', async () => {
  const botId = await createBot(services, services.other);
  const { tenancy, other, messenger } = services;
  const botToken = newToken(messenger);
  await services.harness.asOwner(
    'update tenancy.integrations set account_id = $2 where integration_id = $1',
    [bot.integrationId, String(messenger.bot(botToken).id)],
  );
  const answer = await tenancy.call('POST', `/api/bots/${other.tenantId}/${botId}/integrations`, {
    as: other.admin,
    body: { integrationType: 'messenger', credentials: { botToken, botName: 'Support' } },
  });
  expect(answer).toMatchObject({ status: 409, body: { error: 'this bot token is already in use' } });
});
