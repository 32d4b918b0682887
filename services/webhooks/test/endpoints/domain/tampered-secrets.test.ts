import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newMail, postMail, saveMailbox } from '../../mailboxes.ts';
import {
  closeWebhooksServices,
  type Integration,
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
let webhooks: TestService | undefined;
let own: Integration;
let foreign: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
});
afterAll(() => closeWebhooksServices(services));

/** Two tenants' bots that both work; nothing is remembered of them by the instance that is asked afterwards. */
beforeEach(async () => {
  await webhooks?.stop();
  const before = await startWebhooks(services);
  own = await save(services, newIntegration(services));
  foreign = await save(services, newIntegration(services));
  for (const bot of [own, foreign]) {
    await registered(services, bot);
    expect((await post(before, bot, newUpdate(1))).status).toBe(200);
  }
  await before.stop();
  webhooks = undefined;
});

const sealedOf = async ({ integrationId }: Pick<Integration, 'integrationId'>) => {
  const [row] = await services.harness.asOwner<{ sealed: string }>(
    'select sealed_secrets as sealed from webhooks.endpoints where integration_id = $1',
    [integrationId],
  );
  return row!.sealed;
};

const put = (sealed: string, { integrationId }: Pick<Integration, 'integrationId'>) =>
  services.harness.asOwner('update webhooks.endpoints set sealed_secrets = $1 where integration_id = $2', [
    sealed,
    integrationId,
  ]);

/** Requests with either secret are refused, and nothing is accepted for a row that was changed after sealing. */
async function expectRefused(bot: Integration): Promise<void> {
  webhooks = await startWebhooks(services);
  for (const secret of [own.secret, foreign.secret]) {
    const update = newUpdate(2);
    const answer = await post(webhooks, { botId: bot.botId, secret }, update);
    expect([answer.status, answer.body]).toEqual([500, { error: 'something went wrong on our side' }]);
    const taken = await services.harness.asOwner('select from webhooks.deliveries where event_id = $1', [
      String(update.update_id),
    ]);
    expect(taken).toEqual([]);
  }
}

describe("S-03: an integration's sealed secrets are refused", () => {
  test('swapped with those of another tenant', async () => {
    const [ofOwn, ofForeign] = [await sealedOf(own), await sealedOf(foreign)];
    await put(ofForeign, own);
    await put(ofOwn, foreign);
    await expectRefused(own);
    expect((await post(webhooks!, foreign, newUpdate(3))).status).toBe(500);
  });

  test('in a row that was given to another tenant', async () => {
    await services.harness.asOwner('delete from webhooks.webhook_checks');
    await services.harness.asOwner('update webhooks.endpoints set tenant_id = $1 where integration_id = $2', [
      foreign.tenantId,
      own.integrationId,
    ]);
    await expectRefused(own);
    expect((await post(webhooks!, foreign, newUpdate(3))).status).toBe(200);
  });

  test.each([3, 4])('with a bit flipped in part %i', async (part) => {
    const parts = (await sealedOf(own)).split('.');
    const bytes = Buffer.from(parts[part]!, 'base64url');
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await put(parts.with(part, bytes.toString('base64url')).join('.'), own);
    await expectRefused(own);
  });
});

test("S-03: a mailbox's sealed secrets in another's row take no mail", async () => {
  const before = await startWebhooks(services);
  const [mine, theirs] = [await saveMailbox(services), await saveMailbox(services)];
  await before.stop();
  await put(await sealedOf(theirs), mine);
  webhooks = await startWebhooks(services);
  for (const key of [mine.key, theirs.key])
    expect((await postMail(webhooks, { ...mine, key }, newMail(mine))).status).toBe(500);
  expect((await postMail(webhooks, theirs, newMail(theirs))).status).toBe(200);
});
