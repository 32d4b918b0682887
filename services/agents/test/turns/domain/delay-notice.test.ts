import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  question,
  startAgents,
  type TestBot,
} from '../../agents-services.ts';
import { apologyFor, delayNotice } from '../../in-english.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme, { delayNoticeSeconds: 1 });
});
afterEach(() => {
  services.model.release();
  services.model.replyWith((request) => `re: ${question(request)}`);
});
afterAll(() => services?.close());

const seqs = async (chat: Chat) => (await chat.replies()).map(({ seq }) => seq);

test('a chat whose answer takes longer gets one notice before the reply, and the model never reads it', async () => {
  const chat = new Chat(services, bot);
  services.model.hang();
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([delayNotice]);
  services.model.release();
  expect(await chat.answers(2)).toEqual([delayNotice, 're: hello']);
  await chat.isIdle();
  expect(await seqs(chat)).toEqual([1, 2]);
  const nextRequest = services.model.nextRequest();
  await chat.say('and now?');
  expect((await nextRequest).messages.slice(1).map(contentText)).toEqual(['hello', 're: hello', 'and now?']);
  // On a busy machine this turn also gets a notice.
  await eventually('it is answered', async () => (await chat.replies()).at(-1)?.text === 're: and now?');
  const all = await seqs(chat);
  expect(all).toEqual(all.map((_seq, place) => place + 1));
});

test('each turn has its own notice', async () => {
  const chat = new Chat(services, bot);
  for (const [index, text] of ['one', 'two'].entries()) {
    services.model.hang();
    await chat.say(text);
    await chat.answers(2 * index + 1);
    services.model.release();
    await chat.answers(2 * index + 2);
  }
  expect(await chat.answers(4)).toEqual([delayNotice, 're: one', delayNotice, 're: two']);
});

test('a chat gets its notice although an undelivered reply was sent again during the turn', async () => {
  const { harness, agents, acme, model } = services;
  const chat = new Chat(services, bot);
  await chat.say('hello');
  const replies = await eventually('it is answered', async () => {
    const sentReplies = await chat.replies();
    return sentReplies.at(-1)?.text === 're: hello' && sentReplies;
  });
  const replyId = replies.at(-1)!.message_id;
  const { tenantId, botId } = bot;
  await harness.publish(replyDelivered, {
    tenantId,
    botId,
    conversationId: chat.conversationId,
    replyId,
    state: 'failed',
    platformMessageIds: [],
    isUncertain: false,
    lastError: 'unusable answer (502)',
  });
  await harness.settled('agents', 'webhooks');
  model.hang();
  const nextRequest = model.nextRequest();
  await chat.say('and then?');
  await nextRequest;
  const path = `/api/interactions/undelivered/${replyId}/resend`;
  expect((await agents.call('POST', path, { as: acme.admin })).status).toBe(201);
  const later = (await chat.answers(replies.length + 2)).slice(replies.length);
  expect(later.toSorted()).toEqual([delayNotice, 're: hello'].toSorted());
  model.release();
  expect((await chat.answers(replies.length + 3)).at(-1)).toMatch(/and then\?$/);
  expect(await seqs(chat)).toEqual(Array.from({ length: replies.length + 3 }, (_none, place) => place + 1));
});

/** A group in which the bot also answers messages to nobody. */
async function groupAnsweredAlways() {
  const place = { platformChatId: '-100123', kind: 'group' as const, title: 'Team' };
  const chat = new Chat(services, bot);
  await chat.say('first', { chat: place });
  await chat.answers(1);
  const asAdmin = { as: services.acme.admin };
  const { body } = await services.agents.call('GET', '/api/bot-groups', asAdmin);
  const change = { ...asAdmin, body: { answersWhen: 'always' } };
  const changed = await services.agents.call('PUT', `/api/bot-groups/${body[0].groupId}`, change);
  expect(changed.status).toBe(200);
  return place;
}

test('there is no notice without an addressed message, by mail, or if the bot has it switched off', async () => {
  const place = await groupAnsweredAlways();
  const silent = await createBot(services, services.acme, { delayNoticeSeconds: 0 });
  services.model.hang();
  const overheard = new Chat(services, bot);
  const mailing = new Chat(services, bot);
  const off = new Chat(services, silent);
  const before = services.model.requests.count;
  await overheard.say('hello', { chat: place, isAddressed: false });
  await mailing.say('hello', { platform: 'email' });
  await off.say('hello');
  await services.model.requests.waitFor(() => services.model.requests.count >= before + 3);
  const notifiedChat = new Chat(services, bot);
  await notifiedChat.say('hello');
  expect(await notifiedChat.answers(1)).toEqual([delayNotice]);
  for (const chat of [overheard, mailing, off]) expect(await chat.replies()).toEqual([]);
});

test('a turn that is postponed for longer is announced immediately', async () => {
  services.model.replyInTurn({ status: 429, retryAfter: 2 });
  const chat = new Chat(services, bot);
  await chat.say('hello');
  expect(await chat.answers(2)).toEqual([delayNotice, 're: hello']);
});

test('the deadline of the bot ends the whole turn, with one apology', async () => {
  const hasty = await createBot(services, services.acme, {
    answerDeadlineSeconds: 10,
    delayNoticeSeconds: 0,
  });
  services.model.hang();
  const chat = new Chat(services, hasty);
  const begin = performance.now();
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([apologyFor('timeout')]);
  expect(performance.now() - begin).toBeGreaterThan(9000);
  await chat.isIdle();
  expect(await seqs(chat)).toEqual([1]);
});

test('if the process is killed during the model call, there is no second notice', async () => {
  await services.agents.stop();
  const { harness, model } = services;
  const addresses = { PRIVATE_LLM_BASE_URL: model.url, AGENTS_RETRY_BASE_MS: '10' };
  const mortal = await harness.startProcess('agents', addresses);
  model.hang();
  const chat = new Chat(services, bot);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([delayNotice]);
  mortal.signal('SIGKILL');
  await mortal.ended;
  const requestsBefore = model.requests.count;
  services.agents = await startAgents(services);
  await model.requests.waitFor(() => model.requests.count > requestsBefore);
  // When a later chat gets its notice, the first one would have had its own.
  const later = new Chat(services, bot);
  await later.say('hello');
  expect(await later.answers(1)).toEqual([delayNotice]);
  model.release();
  await eventually(
    'both are answered',
    async () => (await chat.replies()).length + (await later.replies()).length >= 4,
  );
  expect((await chat.replies()).map(({ text, seq }) => [seq, text])).toEqual([
    [1, delayNotice],
    [2, 're: hello'],
  ]);
});
