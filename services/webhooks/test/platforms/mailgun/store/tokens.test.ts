import { randomUUID } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { startAndMissLock } from '@botyard/testing/missed-lock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useToken } from '../../../../src/platforms/mailgun/store/tokens.ts';
import {
  closeWebhooksServices,
  openWebhooksServices,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

let services: WebhooksServices;
beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services);
});
afterAll(() => closeWebhooksServices(services));

test('a token that another bot of the tenant is using at the same moment is valid for one of two mails only', async () => {
  const database = services.harness.databaseAs('webhooks');
  const [tenantId, token] = [randomUUID(), randomUUID()];
  const usedBy = (digest: string) => ({ tenantId, botId: randomUUID(), token, messageId: digest, digest });
  let second: { working: Promise<string> } | undefined;
  const first = await withTenant(database, [tenantId], async (tx) => {
    const use = await useToken(tx, usedBy('first'));
    second = await startAndMissLock(services.harness, () =>
      withTenant(database, [tenantId], (other) => useToken(other, usedBy('second'))),
    );
    return use;
  });
  expect([first, await second?.working]).toEqual(['fresh', 'other']);
});
