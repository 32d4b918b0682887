import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { putOffMs, tryMs } from '../../../src/turns/domain/put-off.ts';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { apologyFor } from '../../in-english.ts';

const nothing = { usage: { inputTokens: 0, outputTokens: 0, isEstimated: false }, toolCalls: [] };
const minute = { answerMs: 60_000, triedMs: 0 };

describe('F-40: how long a turn is put off', () => {
  test('until something is free again, a quarter more at most, and not for less than a second', () => {
    for (const [freeInMs, leastMs] of [
      [0, 1000],
      [20_000, 20_000],
    ] as const) {
      const waitMs = putOffMs({ ...nothing, freeInMs }, minute);
      expect(waitMs).toBeGreaterThanOrEqual(leastMs);
      expect(waitMs).toBeLessThanOrEqual(leastMs * 1.25 + 1);
    }
  });

  test.each([
    ['nothing only rests', { ...nothing }, minute],
    ['it would leave less than 10 s for a try', { ...nothing, freeInMs: 50_001 }, minute],
    ['the time was used up before', { ...nothing, freeInMs: 1000 }, { answerMs: 60_000, triedMs: 49_001 }],
    [
      'the try has cost something',
      { ...nothing, freeInMs: 1000, usage: { ...nothing.usage, outputTokens: 1 } },
      minute,
    ],
  ])('not at all when %s', (_why, answered, time) => {
    expect(putOffMs(answered, time)).toBeUndefined();
  });

  test('an attempt gets the remaining time, and 10 s if it starts late; a third of a short time', () => {
    expect(tryMs(60_000, 0)).toBe(60_000);
    expect(tryMs(60_000, 45_000)).toBe(15_000);
    expect(tryMs(60_000, 59_000)).toBe(10_000);
    expect(tryMs(6000, 6000)).toBe(2000);
  });
});

describe('F-40: while a provider is spared because it failed', () => {
  let services: AgentsServices;
  let bot: TestBot;
  beforeAll(async () => {
    services = await openAgentsServices();
    bot = await createBot(services, services.acme);
  });
  afterAll(() => services?.close());

  test('messages wait for it, and are answered without an apology once it works again', async () => {
    const { model } = services;
    model.fail('chat', { status: 500, headers: { 'retry-after-ms': '1' }, times: 1000 });
    for (let failures = 0; failures < 5; failures += 1) {
      const chat = new Chat(services, bot);
      await chat.say('hello');
      expect(await chat.answers(1)).toEqual([apologyFor('unavailable')]);
    }
    model.clearFaults();
    const callsBefore = model.calls.count;
    const chats = Array.from({ length: 5 }, () => new Chat(services, bot));
    await Promise.all(chats.map((chat) => chat.say('hello')));
    const answers = await Promise.all(chats.map((chat) => chat.answers(1)));
    expect(answers).toEqual(chats.map(() => ['re: hello']));
    expect(model.calls.count).toBe(callsBefore + chats.length);
  });
});
