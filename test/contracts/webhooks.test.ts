import { startFakeMessenger } from '@botyard/testing/fake-messenger';
import { type FakeSlack, startFakeSlack } from '@botyard/testing/fake-slack';
import { afterAll, beforeAll } from 'vitest';
import { newSigningSecret } from '../../services/webhooks/test/idp-deliveries.ts';
import { webhooksTables } from './cases/webhooks.ts';
import { Bots } from './cases/webhooks-steps.ts';
import { checkContracts } from './support/check-contracts.ts';
import { ServiceUnderTest } from './support/service-under-test.ts';

const idpSecret = newSigningSecret();
let bots: Bots;
let slack: FakeSlack;
let sut: ServiceUnderTest;

beforeAll(async () => {
  bots = new Bots(await startFakeMessenger({ limitsWebhookRate: false }));
  slack = await startFakeSlack();
  const app = slack.apps.add({ redirectUrls: ['https://hooks.example.com/webhooks/slack/oauth'] });
  sut = await ServiceUnderTest.open('webhooks', {
    MESSENGER_API_URL: bots.messenger.url,
    MAILER_API_URL: 'http://mailer.invalid',
    WEBHOOK_BASE_URL: 'https://hooks.example.com',
    IDP_WEBHOOK_SECRET: idpSecret,
    SLACK_API_URL: slack.url,
    SLACK_CLIENT_ID: app.clientId,
    SLACK_CLIENT_SECRET: app.clientSecret,
    SLACK_SIGNING_SECRET: app.signingSecret,
  });
});
afterAll(async () => {
  await sut?.close();
  await bots?.messenger.close();
  await slack?.close();
});

checkContracts(
  'webhooks',
  () => sut,
  webhooksTables(
    () => bots,
    () => slack,
    idpSecret,
  ),
);
