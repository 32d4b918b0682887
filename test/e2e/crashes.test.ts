import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTenant, type DemoTenant } from './demo-tenant.ts';
import { System } from './system.ts';

/** Every step of a message's way, where its process dies as by kill -9 (reliability: F-01 to F-05). */
const crashPoints = [
  'webhooks.admission.before-commit',
  'webhooks.admission.after-commit',
  'webhooks.outbox.before-publish',
  'webhooks.outbox.before-mark',
  'agents.consumer.before-commit',
  'agents.consumer.before-ack',
  'agents.turn.before-answer',
  'agents.turn.before-commit',
  'agents.turn.after-commit',
  'agents.outbox.before-publish',
  'agents.outbox.before-mark',
  'webhooks.consumer.before-commit',
  'webhooks.consumer.before-ack',
  'webhooks.sender.before-send',
  'webhooks.sender.after-send',
  'usage.consumer.before-commit',
  'usage.consumer.before-ack',
];
const chatCount = 6;
const messagesPerChat = 5;
const maxMore = 30;

let system: System;
let demo: DemoTenant;
let marks: string;

beforeAll(async () => {
  marks = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  const failpoints = crashPoints.map((name) => `${name}:crash`).join(',');
  const markOf = (name: string) => join(marks, name);
  // The demo tenant's own events pass unharmed.
  await Promise.all(crashPoints.map((name) => writeFile(markOf(name), '')));
  system = await System.start({ FAILPOINTS: failpoints, FAILPOINTS_DIR: marks });
  demo = await createDemoTenant(system);
  const limits = { messages: 1_000_000 };
  await system.api('POST', `/api/usage/${demo.tenantId}/quota/initialize`, { body: { limits } });
  await Promise.all(crashPoints.map((name) => rm(markOf(name))));
});
afterAll(async () => {
  await system.stop();
  await rm(marks, { recursive: true, force: true });
});

test('with a crash at every step, each accepted message is answered once, in order, and counted once', async () => {
  system.model.replyWith((request) => `re: ${request.messages.at(-1)?.content}`);
  for (let number = 1; number <= messagesPerChat; number++) {
    for (let chat = 1; chat <= chatCount; chat++) {
      system.messenger.say({ botToken: demo.botToken, chatId: 9000 + chat, text: `${chat}.${number}` });
    }
  }
  let total = chatCount * messagesPerChat;
  const answers = () => system.messenger.sent.all.map(({ params }) => String(params.text));
  const allAnswered = () => eventually('every message is answered', () => new Set(answers()).size >= total);
  await allAnswered();
  // How much goes together in a batch, and so how often a step is passed, is up to the machine: a few more do it.
  const missing = async () => {
    const reached = await readdir(marks);
    return crashPoints.filter((name) => !reached.includes(name));
  };
  for (let more = 1; more <= maxMore && (await missing()).length > 0; more++) {
    system.messenger.say({ botToken: demo.botToken, chatId: 9100 + more, text: `more ${more}` });
    total += 1;
    await allAnswered();
  }
  expect(await missing()).toEqual([]);
  await system.healthy();

  // An answer that was being sent when its process died is sent again and marked (P9); no other is.
  const sentTwice = answers().filter((text, index) => answers().indexOf(text) < index);
  const uncertain = await system.asOwner<{ plain: string }>(
    'select plain from webhooks.parts where is_uncertain',
  );
  expect(uncertain.map(({ plain }) => plain)).toEqual(expect.arrayContaining(sentTwice));
  for (let chat = 1; chat <= chatCount; chat++) {
    const inOrder = [...new Set(answers().filter((text) => text.startsWith(`re: ${chat}.`)))];
    expect(inOrder).toEqual(
      Array.from({ length: messagesPerChat }, (_, index) => `re: ${chat}.${index + 1}`),
    );
  }
  const { counters } = await eventually('every turn is counted', async () => {
    const usage = await system.api<Counted>('GET', `/api/usage/${demo.tenantId}`);
    return usage.counters.messages >= total && usage;
  });
  expect(counters).toMatchObject({ messages: total, ...reported() });
  const quota = await system.api('GET', `/api/usage/${demo.tenantId}/quota`);
  expect(quota).toMatchObject({ used: counters, reserved: { messages: 0 } });
  process.stdout.write(
    `crashes: ${crashPoints.length}, messages: ${total}, lost: 0, inversions: 0, sent twice: ${sentTwice.length}, marked uncertain: ${uncertain.length}\n`,
  );
});

interface Counted {
  counters: { messages: number; inputTokens: number; outputTokens: number };
}

/**
 * The usage that the model reported for the messages, each counted once. A process that died with an answer had
 * received it from a call that no other process knows of, so the call was repeated.
 */
function reported(): Omit<Counted['counters'], 'messages'> {
  const last = new Map(
    system.model.answered.all.map(({ request, usage }) => [String(request.messages.at(-1)?.content), usage]),
  );
  const sum = (read: (usage: { prompt_tokens: number; completion_tokens: number }) => number) =>
    [...last.values()].reduce((total, usage) => total + read(usage), 0);
  return {
    inputTokens: sum(({ prompt_tokens }) => prompt_tokens),
    outputTokens: sum(({ completion_tokens }) => completion_tokens),
  };
}
