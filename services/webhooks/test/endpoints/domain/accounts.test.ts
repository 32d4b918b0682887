import { Keyring } from '@botyard/shared/secrets/keyring';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEndpoints, type Endpoints } from '../../../src/endpoints/domain/endpoints.ts';
import { connector } from '../../../src/platforms/telegram/domain/connection.ts';
import {
  closeWebhooksServices,
  newIntegration,
  openWebhooksServices,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let endpoints: Endpoints;

beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services);
  const { harness } = services;
  endpoints = createEndpoints({
    bus: await harness.busAs('webhooks'),
    database: harness.databaseAs('webhooks'),
    keyring: Keyring.parse(harness.secretsKeys),
    onFound: () => undefined,
  });
});
afterAll(() => closeWebhooksServices(services));

test('an announced integration is found by its account', async () => {
  const { botId } = await save(services, newIntegration(services, { account: { accountId: '7001' } }));
  expect(await endpoints.findByAccount(connector, '7001')).toMatchObject({ botId });
  expect(await endpoints.findByAccount(connector, 'of nobody')).toBeNull();
});

test('an account that is announced later, for the same revision, is noted', async () => {
  const integration = await save(services, newIntegration(services));
  expect(await endpoints.findByAccount(connector, '7002')).toBeNull();
  await save(services, { ...integration, account: { accountId: '7002' } });
  expect(await endpoints.findByAccount(connector, '7002')).toMatchObject({ botId: integration.botId });
});

test('a delivery that arrives before the announcement is asked for at tenancy, by its account', async () => {
  const integration = newIntegration(services, { account: { accountId: '7003' } });
  services.integrations.set(integration.botId, integration);
  expect(await endpoints.findByAccount(connector, '7003')).toMatchObject({ botId: integration.botId });
});

test('an integration without an account keeps no secrets here, and gets none of its deliveries', async () => {
  const integration = newIntegration(services, { account: { accountId: '7004' } });
  await save(services, integration);
  await save(services, { ...integration, revision: 2, account: { isWithoutAccount: true } });
  expect(await endpoints.findByAccount(connector, '7004')).toBeNull();
  endpoints.forget(integration.botId);
  expect(await endpoints.find(connector, integration.botId)).toBeNull();
});
