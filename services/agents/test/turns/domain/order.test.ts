import { messageReceived } from '@botyard/contracts/events/webhooks';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
  await Promise.all([1, 2, 3].map(() => startAgents(services)));
});

afterAll(() => services?.close());

const events = (texts: readonly string[]) => texts.map((text) => Number(/#(\d+)/.exec(text)?.[1]));
const inversions = (numbers: readonly number[]) =>
  numbers.filter((number, index) => index > 0 && number < numbers[index - 1]!).length;

test('four instances answer 40 conversations of 10 messages each in strict order, one reply for each', async () => {
  const { model } = services;
  const chats = Array.from({ length: 40 }, () => new Chat(services, bot));
  const from = model.requests.count;
  const startedAt = performance.now();
  for (let round = 1; round <= 10; round += 1) {
    await Promise.all(chats.map((chat, index) => chat.say(`c${index} #${round}`)));
  }
  const answers = await Promise.all(chats.map((chat) => chat.answers(10)));
  await Promise.all(chats.map((chat) => chat.isIdle()));
  const questions = model.requests.all.slice(from).map(question);
  const summary = {
    replies: answers.flat().length,
    inversionsOfReplies: answers.reduce((sum, texts) => sum + inversions(events(texts)), 0),
    inversionsOfCalls: chats.reduce(
      (sum, _chat, index) =>
        sum + inversions(events(questions.filter((text) => text.startsWith(`c${index} `)))),
      0,
    ),
    modelCalls: questions.length,
  };
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`order, 4 instances: ${JSON.stringify(summary)} in ${seconds} s\n`);
  expect(summary).toEqual({ replies: 400, inversionsOfReplies: 0, inversionsOfCalls: 0, modelCalls: 400 });
  for (const [index, texts] of answers.entries()) {
    expect(texts).toEqual(Array.from({ length: 10 }, (_, round) => `re: c${index} #${round + 1}`));
  }
});

test('messages that arrive in any order are answered in theirs', async () => {
  const chat = new Chat(services, bot);
  const messages = Array.from({ length: 6 }, (_, index) => chat.message(`#${index + 1}`));
  for (const index of [3, 1, 5, 2, 4, 0]) {
    await services.harness.publish(messageReceived, messages[index]!);
  }
  const answers = await chat.answers(6);
  expect(answers).toEqual([1, 2, 3, 4, 5, 6].map((number) => `re: #${number}`));
});

test('a message behind a gap waits until the missing one has arrived', async () => {
  const chat = new Chat(services, bot);
  const [first, second] = [chat.message('#1'), chat.message('#2')];
  await services.harness.publish(messageReceived, second);
  await services.harness.settled('agents', 'webhooks');
  expect(await chat.replies()).toEqual([]);
  await services.harness.publish(messageReceived, first);
  expect(await chat.answers(2)).toEqual(['re: #1', 're: #2']);
});

test('a gap that never closes is in the dead letters with its cause; later messages are answered', async () => {
  const chat = new Chat(services, bot);
  const [first, second] = [chat.message('#1'), chat.message('#2')];
  await services.harness.publish(messageReceived, second);
  await services.harness.settled('agents', 'webhooks');
  // As if it had waited; the webhooks service, which could be asked, isn't there.
  await services.harness.asOwner(
    `update agents.messages set created_at = now() - interval '46 seconds' where conversation_id = $1`,
    [chat.conversationId],
  );
  expect(await chat.answers(1)).toEqual(['re: #2']);
  expect(await chat.written()).toMatchObject([
    { text: '', status: 'dead', last_error: expect.stringContaining('lost on its way') },
    { text: '#2', status: 'answered' },
  ]);
  const { body } = await services.agents.call('GET', '/api/interactions/dead-letters', {
    as: services.acme.admin,
  });
  expect(body).toHaveLength(1);
  await services.harness.publish(messageReceived, first);
  expect((await chat.answers(2))[1]).toBe('re: #1');
  expect(await chat.written()).toMatchObject([
    { text: '#1', status: 'answered', last_error: null },
    { text: '#2', status: 'answered' },
  ]);
});

test('the same event twice, and 50 simultaneous copies, lead to one reply', async () => {
  const chat = new Chat(services, bot);
  const [first, second] = [chat.message('#1'), chat.message('#2')];
  const [eventId, otherId] = [uuidv7(), uuidv7()];
  const bus = await services.harness.busAs('webhooks');
  const send = (data: typeof first, id: string) =>
    // Past the stream's own window for duplicates, so that every copy reaches the consumers.
    bus
      .live()
      .jetstream.publish(bus.names.event(messageReceived, data), JSON.stringify(data), { msgID: id })
      .then(() => undefined);
  await send(first, eventId);
  await chat.answers(1);
  await services.harness.asOwner('delete from agents.inbox where event_id = $1', [eventId]);
  await Promise.all(Array.from({ length: 50 }, () => send(second, uuidv7())));
  await send(first, otherId);
  await chat.answers(2);
  await services.harness.settled('agents', 'webhooks');
  await chat.isIdle();
  expect((await chat.replies()).map(({ text }) => text)).toEqual(['re: #1', 're: #2']);
});
