import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliver, newSigningSecret, sample } from '../../idp-deliveries.ts';
import { mailsOf, newMail, postMail, saveMailbox } from '../../mailboxes.ts';
import {
  closeWebhooksServices,
  newIntegration,
  newUpdate,
  openWebhooksServices,
  platformHeader,
  post,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;

beforeAll(async () => {
  services = await openWebhooksServices();
});
afterAll(() => closeWebhooksServices(services));

/** REQ-HOOK-2, for each of the three that deliver and for every mode. */
describe.each([
  ['development', 200],
  ['test', 200],
  ['staging', 200],
  ['production', 401],
])('W-03: with NODE_ENV=%s and no secret', (NODE_ENV, messengerStatus) => {
  let webhooks: TestService;
  beforeEach(async () => {
    webhooks = await startWebhooks(services, { NODE_ENV });
  });
  afterEach(() => webhooks.stop());

  test(`an update of the messenger is ${messengerStatus}, with any secret and with none`, async () => {
    const bot = await save(services, newIntegration(services, { secret: '' }));
    for (const headers of [{}, { [platformHeader]: '' }, { [platformHeader]: 'any' }])
      expect((await post(webhooks, bot, newUpdate(1), headers)).status).toBe(messengerStatus);
    const admitted = await services.harness.asOwner('select from webhooks.deliveries where bot_id = $1', [
      bot.botId,
    ]);
    expect(admitted).toHaveLength(messengerStatus === 200 ? 3 : 0);
  });

  test('a delivery of the identity provider is 500, for any signature, and nothing of it is kept', async () => {
    const signing = { secret: newSigningSecret(), id: `msg_${NODE_ENV}` };
    for (const headers of [undefined, {}]) {
      const { status } = await deliver(webhooks, sample('user_created'), {
        ...signing,
        ...(headers && { headers }),
      });
      expect(status).toBe(500);
    }
    const kept = await services.harness.asOwner(
      'select from webhooks.identity_deliveries where event_id = $1',
      [signing.id],
    );
    expect(kept).toEqual([]);
  });

  test('a mail is accepted, and each time that is logged at SECURITY severity', async () => {
    const open = await saveMailbox(services, { key: undefined });
    expect((await postMail(webhooks, open, newMail(open), { signature: {} })).status).toBe(200);
    expect(await mailsOf(services, open)).toHaveLength(1);
    const lines = services.harness.logLines
      .map((line) => JSON.parse(line) as { severity?: string; botId?: string })
      .filter(({ severity, botId }) => severity === 'SECURITY' && botId === open.botId);
    expect(lines).toHaveLength(1);
  });
});
