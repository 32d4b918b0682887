import { startFakeMessenger } from '@botyard/testing/fake-messenger';
import { afterAll, beforeAll } from 'vitest';
import { newSigningSecret } from '../../services/webhooks/test/idp-deliveries.ts';
import { webhooksTables } from './cases/webhooks.ts';
import { Bots } from './cases/webhooks-steps.ts';
import { checkContracts } from './support/check-contracts.ts';
import { ServiceUnderTest } from './support/service-under-test.ts';

const idpSecret = newSigningSecret();
let bots: Bots;
let sut: ServiceUnderTest;

beforeAll(async () => {
  bots = new Bots(await startFakeMessenger({ limitsWebhookRate: false }));
  sut = await ServiceUnderTest.open('webhooks', {
    MESSENGER_API_URL: bots.messenger.url,
    MAILER_API_URL: 'http://mailer.invalid',
    WEBHOOK_BASE_URL: 'https://hooks.example.com',
    IDP_WEBHOOK_SECRET: idpSecret,
  });
});
afterAll(async () => {
  await sut?.close();
  await bots?.messenger.close();
});

checkContracts(
  'webhooks',
  () => sut,
  webhooksTables(() => bots, idpSecret),
);
