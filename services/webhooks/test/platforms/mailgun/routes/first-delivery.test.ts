import { randomUUID } from 'node:crypto';
import { registrationChanged } from '@botyard/contracts/events/webhooks';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMail, postForm, postMail, saveMailbox, type TestMailbox } from '../../../mailboxes.ts';
import {
  closeWebhooksServices,
  eventsOf,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
});
afterAll(() => closeWebhooksServices(services));

async function told({ integrationId }: TestMailbox) {
  await publishedAll(services);
  return (await eventsOf(services.harness, registrationChanged))
    .filter((event) => event.integrationId === integrationId)
    .map(({ revision, state }) => [revision, state]);
}

test('the first mail for an address is announced once, for any number of mails', async () => {
  const mailbox = await saveMailbox(services);
  await Promise.all(Array.from({ length: 4 }, () => postMail(webhooks, mailbox, newMail(mailbox))));
  await postMail(webhooks, mailbox, newMail(mailbox));
  expect(await told(mailbox)).toEqual([[1, 'registered']]);
});

test("a refused mail doesn't count as a delivery", async () => {
  const mailbox = await saveMailbox(services);
  expect((await postForm(webhooks, mailbox.botId, newMail(mailbox))).status).toBe(406);
  expect(await told(mailbox)).toEqual([]);
});

test('a later revision also gets the past delivery; another address waits again', async () => {
  const mailbox = await saveMailbox(services);
  await postMail(webhooks, mailbox, newMail(mailbox));
  await saveMailbox(services, { ...mailbox, revision: 2 });
  expect(await told(mailbox)).toEqual([
    [1, 'registered'],
    [2, 'registered'],
  ]);
  const moved = { ...mailbox, address: `moved-${randomUUID()}@bots.acme.example`, revision: 3 };
  await saveMailbox(services, moved);
  expect(await told(mailbox)).toHaveLength(2);
  await postMail(webhooks, moved, newMail(moved));
  expect((await told(mailbox)).at(-1)).toEqual([3, 'registered']);
});
