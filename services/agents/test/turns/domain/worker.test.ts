import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  question,
  startAgents,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
let second: TestService;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  second = await startAgents(services);
});

afterEach(() => services.model.release());

afterAll(() => services?.close());

/** Says something and resolves while the model is being asked. */
async function saySlowly(text: string, chat = new Chat(services, bot)): Promise<Chat> {
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say(text);
  await nextRequest;
  return chat;
}

const outboxOf = (chat: Chat) =>
  services.harness.asOwner('select subject from agents.outbox where subject like $1', [
    `%.event.agents.%.${chat.conversationId}`,
  ]);

test('a worker whose conversation was taken over writes nothing, and the new holder answers once', async () => {
  const chat = await saySlowly('hello');
  const [taken] = await services.harness.asOwner<{ fence: string }>(
    `update agents.conversations set fence = fence + 1, lease_until = now() + interval '1 minute'
     where conversation_id = $1 returning fence`,
    [chat.conversationId],
  );
  services.model.release();
  // The late worker is done when its model call is, and has tried to write.
  await services.model.calls.waitFor((call) => call.operation === 'chat' && call.status === 200);
  const mark = `"conversationId":"${chat.conversationId}"`;
  const refused = () =>
    services.harness.logLines.some((line) => line.includes('another worker has') && line.includes(mark));
  await eventually('the late write is refused', refused);
  expect(await chat.replies()).toEqual([]);
  expect(await outboxOf(chat)).toEqual([]);
  expect(await chat.written()).toMatchObject([{ status: 'queued' }]);
  await services.harness.asOwner(
    `update agents.conversations set lease_until = now() where conversation_id = $1 and fence = $2`,
    [chat.conversationId, taken!.fence],
  );
  expect(await chat.answers(1)).toEqual(['re: hello']);
  await chat.isIdle();
  expect(await outboxOf(chat)).toHaveLength(2);
});

test('a worker that learns from its lease that the conversation was taken gives its model call up', async () => {
  const chat = await saySlowly('hello');
  expect(services.model.pending).toBe(1);
  await services.harness.asOwner(
    `update agents.conversations set fence = fence + 1, lease_until = now() + interval '4 seconds' where conversation_id = $1`,
    [chat.conversationId],
  );
  await eventually('the call is given up', () => services.model.pending === 0);
  services.model.release();
  expect(await chat.answers(1)).toEqual(['re: hello']);
});

test('two that hold the same fence after a crash of the database still answer once', async () => {
  const chat = await saySlowly('hello');
  const askedAgain = services.model.nextRequest();
  // The claim was not durable: the fence is given out again.
  await services.harness.asOwner(
    `update agents.conversations set fence = fence - 1, lease_until = null where conversation_id = $1`,
    [chat.conversationId],
  );
  await askedAgain;
  services.model.release();
  await chat.answers(1);
  await chat.isIdle();
  expect((await chat.replies()).map(({ text }) => text)).toEqual(['re: hello']);
  expect(await outboxOf(chat)).toHaveLength(2);
});

test('a lease is renewed while a turn runs, and ends with the turn', async () => {
  const chat = await saySlowly('hello');
  const lease = async () => {
    const [row] = await services.harness.asOwner<{ until: string | null; at: number | null }>(
      `select lease_until::text as until, extract(epoch from lease_until)::float as at
       from agents.conversations where conversation_id = $1`,
      [chat.conversationId],
    );
    return row!;
  };
  const first = await lease();
  const renewed = await eventually('the lease is renewed', async () => {
    const now = await lease();
    return now.until !== first.until && now;
  });
  expect(renewed.at).toBeGreaterThan(first.at!);
  services.model.release();
  await chat.answers(1);
  expect((await lease()).until).toBeNull();
});

describe('stopping an instance during model calls', () => {
  test('another instance answers each message once, without an apology', async () => {
    const { model } = services;
    const chats = Array.from({ length: 12 }, () => new Chat(services, bot));
    model.hang();
    const from = model.requests.count;
    await Promise.all(chats.map((chat, index) => chat.say(`c${index}`)));
    await eventually('all are being asked', () => model.requests.count >= from + chats.length);
    // The stop doesn't wait for the model, which hangs until it has stopped.
    await second.stop();
    model.release();
    const answers = await Promise.all(chats.map((chat) => chat.answers(1)));
    expect(answers).toEqual(chats.map((_chat, index) => [`re: c${index}`]));
    await Promise.all(chats.map((chat) => chat.isIdle()));
    expect((await Promise.all(chats.map((chat) => chat.replies()))).flat()).toHaveLength(12);
    expect(model.requests.all.slice(from).map(question).length).toBeGreaterThanOrEqual(chats.length);
  });
});
