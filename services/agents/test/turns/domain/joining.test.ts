import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;

/** Long enough that a stalled machine doesn't end a burst. */
const joinWindowMs = 3000;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme, { joinWindowMs });
  // The window is read from this service's copy of the bot.
  const first = new Chat(services, bot);
  await first.say('hello');
  await first.answers(1);
});

afterAll(() => services?.close());

test('a burst is answered once, in its order', async () => {
  const chat = new Chat(services, bot);
  for (const text of ['one', 'two', 'three']) await chat.say(text);
  expect(await chat.answers(1)).toEqual(['re: one\ntwo\nthree']);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
  expect((await chat.written()).map(({ status }) => status)).toEqual(['answered', 'answered', 'answered']);
});

test('a command in a burst is answered alone, and everything keeps its order', async () => {
  const chat = new Chat(services, bot);
  const receivedAt = new Date().toISOString();
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say('one', { receivedAt });
  await chat.say('/help', { command: { name: 'help', argument: '' }, receivedAt });
  await nextRequest;
  await chat.say('two', { receivedAt });
  await chat.say('three', { receivedAt });
  await services.harness.settled('agents', 'webhooks');
  services.model.release();
  const answers = await chat.answers(3);
  expect(answers).toEqual([
    're: one',
    expect.stringContaining('/new begins a new conversation'),
    're: two\nthree',
  ]);
});

test('a burst that begins during a slow answer is joined as any other', async () => {
  const patient = new Chat(services, await createBot(services, services.acme, { joinWindowMs }));
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await patient.say('first');
  await nextRequest;
  // As if the answer had taken so long already.
  await services.harness.asOwner(
    `update agents.conversations set waiting_since = waiting_since - interval '1 minute' where conversation_id = $1`,
    [patient.conversationId],
  );
  await patient.say('one');
  await services.harness.settled('agents', 'webhooks');
  services.model.release();
  await patient.answers(1);
  await patient.say('two');
  expect(await patient.answers(2)).toEqual(['re: first', 're: one\ntwo']);
});

test('the same with joining off is answered one by one', async () => {
  const chat = new Chat(services, await createBot(services, services.acme, { joinWindowMs: 0 }));
  for (const text of ['one', 'two', 'three']) await chat.say(text);
  expect(await chat.answers(3)).toEqual(['re: one', 're: two', 're: three']);
});

const photo = { content: 'unsupported', attachment: { kind: 'photo' } } as const;

test.each([0, 250])('an album is answered once, with all its captions (window %i ms)', async (windowMs) => {
  const chat = new Chat(services, await createBot(services, services.acme, { joinWindowMs: windowMs }));
  const album = { albumId: '77', attachment: { kind: 'photo' } } as const;
  await chat.say('the front', album);
  await chat.say('', { ...album, content: 'unsupported' });
  await chat.say('the back', album);
  const [answer] = await chat.answers(1);
  expect(answer).toMatch(/the front[\s\S]*the back/);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
});

test('an album without a caption gets one kind notice', async () => {
  const chat = new Chat(services, await createBot(services, services.acme, { joinWindowMs: 0 }));
  for (let count = 0; count < 5; count += 1) await chat.say('', { ...photo, albumId: '78' });
  expect(await chat.answers(1)).toEqual([expect.stringContaining("can't look at photos")]);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
});

test('a photo together with words is answered as words are', async () => {
  const chat = new Chat(services, bot);
  await chat.say('', photo);
  await chat.say('what is this?');
  const [answer] = await chat.answers(1);
  expect(answer).toContain('what is this?');
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
});

test("the payload of a deep link is stored as the person's message, and /start is greeted", async () => {
  const chat = new Chat(services, bot);
  await chat.say('ref42', { command: { name: 'start', argument: 'ref42' } });
  expect(await chat.answers(1)).toEqual([expect.stringContaining('Hello! I am Support')]);
  await chat.say('what now?');
  await chat.answers(2);
  expect(JSON.stringify(services.model.requests.last?.messages)).toContain('ref42');
});
