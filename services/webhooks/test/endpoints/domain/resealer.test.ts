import { randomBytes } from 'node:crypto';
import { integrationBinding } from '@botyard/contracts/events/tenancy';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeWebhooksServices,
  newIntegration,
  newUpdate,
  openWebhooksServices,
  post,
  registered,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;

beforeAll(async () => {
  services = await openWebhooksServices();
});

afterAll(() => closeWebhooksServices(services));

test('S-03: after a rotation the secrets of an integration, current and previous, are resealed and still valid', async () => {
  const { harness, messenger } = services;
  const added = `added:${randomBytes(32).toString('base64url')}`;
  const first = await startWebhooks(services);
  const integration = newIntegration(services);
  await save(services, integration);
  await registered(services, integration);
  // The platform doesn't learn the new secret, so the one before stays.
  messenger.fail('setWebhook', { status: 500, times: 1000 });
  await save(services, { ...integration, secret: 'another-secret', revision: 2 });
  await first.stop();
  const rotated = await startWebhooks(services, { SECRETS_KEYS: `${added},${harness.secretsKeys}` });
  const { sealedPrefix } = Keyring.parse(added);
  const row = await eventually('both values are sealed anew', async () => {
    const [found] = await harness.asOwner<{ current: string; previous: string }>(
      `select sealed_secrets as current, previous_sealed_secrets as previous from webhooks.endpoints`,
    );
    return found?.current.startsWith(sealedPrefix) && found.previous?.startsWith(sealedPrefix)
      ? found
      : false;
  });
  const opened = await Keyring.parse(added).open(row.previous, integrationBinding(integration));
  expect(opened.reveal()).toContain(integration.secret);
  await rotated.stop();
  const alone = await startWebhooks(services, { SECRETS_KEYS: added });
  for (const secret of [integration.secret, 'another-secret']) {
    expect((await post(alone, { ...integration, secret }, newUpdate(1))).status).toBe(200);
  }
});
