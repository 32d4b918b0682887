import { contentText } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTenant, type DemoTenant } from './demo-tenant.ts';
import { System } from './system.ts';

let system: System;
let demo: DemoTenant;

beforeAll(async () => {
  system = await System.start({ MESSENGER_UPDATES: 'polling' });
  demo = await createDemoTenant(system);
  system.model.replyWith((request) => `re: ${contentText(request.messages.at(-1)!)}`);
});
afterAll(() => system?.stop());

test('a bot without a webhook is polled for messages, and answers', async () => {
  const { registration } = await system.api<{ registration: object }>('GET', demo.integrationPath);
  expect(registration).toMatchObject({ state: 'registered', mode: 'polling' });
  system.messenger.say({ botToken: demo.botToken, chatId: 77, text: 'Hello' });
  await system.messenger.sent.waitFor(({ entry }) => entry.text === 're: Hello');
  const { calls } = system.messenger;
  expect(calls.filter(({ operation }) => operation === 'setWebhook')).toEqual([]);
});
