import { turnCompleted, typing } from '@botyard/contracts/events/agents';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { listen } from '@botyard/shared/bus/signals';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  question,
  startAgents,
  startTenancy,
  type TestBot,
} from '../../agents-services.ts';
import { HandledChat } from '../../takeover/chats.ts';

let services: AgentsServices;

beforeAll(async () => {
  services = await openAgentsServices();
  await startAgents(services);
});
afterEach(() => services.harness.asOwner('truncate tenancy.mutes, tenancy.chat_rules'));
afterAll(() => services?.close());

const newBot = (joinWindowMs = 0) => createBot(services, services.acme, { joinWindowMs });

/** As the tenant's admin; returns the body. */
async function callOk(method: string, path: string, body?: object) {
  const answer = await services.tenancy.call(method, `/api/auth${path}`, { as: services.acme.admin, body });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status} ${answer.text}`);
  return answer.body;
}

const anna = { platformUserId: '101', name: 'Anna' };
const mallory = { platformUserId: '666', name: 'Mallory' };
const team = { platformChatId: '-1007', kind: 'group' as const, title: 'Team' };
const inTeam = (sender: typeof anna): Partial<InboundMessage> => ({ chat: team, sender });
const inPrivate = (sender: typeof anna): Partial<InboundMessage> => ({
  chat: { platformChatId: sender.platformUserId, kind: 'private', title: sender.name },
  sender,
});
const on = ({ platformUserId }: typeof anna) => ({ platform: 'messenger', platformUserId });
const notice = expect.stringMatching(/^Sorry, I cannot talk with you here yet/);

/** The outcome of the newest message, once nothing waits any more. */
async function outcome(chat: Chat) {
  return await eventually('the message was dealt with', async () => {
    const { status, refusal } = (await chat.written()).at(-1) ?? {};
    return status !== 'queued' && status !== undefined && { status, refusal };
  });
}
const answered = { status: 'answered', refusal: null };
const ignored = (refusal: string) => ({ status: 'ignored', refusal });

async function say(chat: Chat, text: string, change: Partial<InboundMessage>) {
  const before = (await chat.written()).length;
  await chat.say(text, change);
  await eventually('it has arrived', async () => (await chat.written()).length > before);
  return await outcome(chat);
}

describe('a change applies once it is announced, for both instances', () => {
  const chatCount = 12;

  /** How long after the change every message in many simultaneous chats, and so on both instances, ends like this. */
  async function holdsAfterMs(
    bot: TestBot,
    change: Partial<InboundMessage>,
    wanted: object,
  ): Promise<number> {
    const changedAt = performance.now();
    return await eventually(
      'every chat obeys',
      async () => {
        const askedAt = performance.now();
        const chats = Array.from({ length: chatCount }, () => new Chat(services, bot));
        const outcomes = await Promise.all(chats.map((chat) => say(chat, 'hello', change)));
        const isHeld = outcomes.every((found) => JSON.stringify(found) === JSON.stringify(wanted));
        return isHeld && askedAt - changedAt;
      },
      beforeItExpires,
    );
  }

  test('a mute and its end', async () => {
    const bot = await newBot();
    await holdsAfterMs(bot, inPrivate(anna), answered);
    const { muteId } = await callOk('POST', '/moderation', on(anna));
    const muted = await holdsAfterMs(bot, inPrivate(anna), ignored('muted'));
    await callOk('DELETE', `/moderation/${muteId}`);
    const unmuted = await holdsAfterMs(bot, inPrivate(anna), answered);
    process.stdout.write(`muted after ${muted.toFixed()} ms, unmuted after ${unmuted.toFixed()} ms\n`);
  });

  test('the rule for channels, a grant and its end', async () => {
    const bot = await newBot();
    await holdsAfterMs(bot, inTeam(anna), answered);
    await callOk('PUT', `/bots/${bot.botId}`, { channels: 'granted' });
    await holdsAfterMs(bot, inTeam(anna), ignored('channel not granted'));
    expect(await say(new Chat(services, bot), 'hello', inPrivate(anna))).toEqual(answered);
    const channel = { botId: bot.botId, platform: 'messenger', platformChatId: team.platformChatId };
    const { grantId } = await callOk('POST', '/channel-grants', channel);
    await holdsAfterMs(bot, inTeam(anna), answered);
    await callOk('DELETE', `/channel-grants/${grantId}`);
    await holdsAfterMs(bot, inTeam(anna), ignored('channel not granted'));
  });

  test('the rule for private chats, a grant and its end', async () => {
    const bot = await newBot();
    const refused = ignored('private chat not granted');
    await holdsAfterMs(bot, inPrivate(anna), answered);
    await callOk('PUT', `/bots/${bot.botId}`, { privateChats: 'granted' });
    await holdsAfterMs(bot, inPrivate(anna), refused);
    expect(await say(new Chat(services, bot), 'hello', inTeam(anna))).toEqual(answered);
    const { grantId } = await callOk('POST', '/private-chat-grants', { botId: bot.botId, ...on(anna) });
    await holdsAfterMs(bot, inPrivate(anna), answered);
    expect(await say(new Chat(services, bot), 'hello', inPrivate(mallory))).toEqual(refused);
    await callOk('DELETE', `/private-chat-grants/${grantId}`);
    await holdsAfterMs(bot, inPrivate(anna), refused);
  });
});

test('a muted person gets silence, no typing and no model call, also for a command; others are answered', async () => {
  const bot = await newBot();
  const webhooks = await services.harness.busAs('webhooks');
  const shown: string[] = [];
  listen(webhooks, typing, ({ conversationId }) => shown.push(conversationId));
  await webhooks.live().connection.flush();
  await callOk('POST', '/moderation', { ...on(mallory), botId: bot.botId });
  const chat = new Chat(services, bot);
  const calls = services.model.requests.count;
  for (const command of [undefined, { name: 'start', argument: '' }, { name: 'new', argument: '' }])
    expect(await say(chat, 'hey', { ...inPrivate(mallory), ...(command ? { command } : {}) })).toEqual(
      ignored('muted'),
    );
  await chat.isIdle();
  expect(await chat.replies()).toEqual([]);
  expect(services.model.requests.count).toBe(calls);
  const other = new Chat(services, bot);
  services.model.hang();
  const said = say(other, 'hello', inPrivate(anna));
  await eventually('typing is shown', () => shown.includes(other.conversationId));
  services.model.release();
  expect(await said).toEqual(answered);
  expect(shown).not.toContain(chat.conversationId);
});

test('an expired mute has no effect, without any announcement', async () => {
  const bot = await newBot();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const { muteId } = await callOk('POST', '/moderation', { ...on(anna), until });
  const chat = new Chat(services, bot);
  expect(await say(chat, 'one', inPrivate(anna))).toEqual(ignored('muted'));
  await services.harness.asOwner('update tenancy.mutes set until = now() where mute_id = $1', [muteId]);
  expect(await say(chat, 'two', inPrivate(anna))).toEqual(answered);
});

test('messages of refused people are left out of a joint answer, and the model never sees their words', async () => {
  const bot = await newBot(300);
  await services.harness.settled('agents', 'tenancy');
  await callOk('POST', '/moderation', on(mallory));
  const chat = new Chat(services, bot);
  for (const [text, sender] of [
    ['one', anna],
    ['evil', mallory],
    ['two', anna],
  ] as const) {
    await chat.say(text, inTeam(sender));
  }
  expect(await chat.answers(1)).toEqual(['re: one\ntwo']);
  await chat.isIdle();
  expect(await chat.written()).toMatchObject([answered, ignored('muted'), answered]);
  expect(await say(chat, 'evil again', inTeam(mallory))).toEqual(ignored('muted'));
  await chat.say('and now?', inTeam(anna));
  expect((await chat.answers(2))[1]).toBe('re: and now?');
  const last = services.model.requests.all.at(-1)!;
  expect(question(last)).toBe('and now?');
  expect(JSON.stringify(last)).not.toContain('evil');
  expect((await chat.replies()).map(({ seq }) => seq)).toEqual([1, 2]);
  const turns = await services.harness.asOwner<{ texts: string[] }>(
    `select array(select text from agents.messages m where m.message_id = any (t.message_ids) order by seq) as texts
     from agents.turns t where conversation_id = $1 order by turn_id`,
    [chat.conversationId],
  );
  expect(turns.map(({ texts }) => texts)).toEqual([['one', 'two'], ['and now?']]);
});

test('a refused message is no context later, even if a person takes the chat over during its turn', async () => {
  const bot = await newBot(300);
  await services.harness.settled('agents', 'tenancy');
  await callOk('POST', '/moderation', on(mallory));
  const chat = new HandledChat(services, bot);
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say('one', inTeam(anna));
  await chat.say('evil', inTeam(mallory));
  await nextRequest;
  await chat.takeOver();
  await chat.isSettled(2);
  services.model.release();
  expect(await chat.written()).toMatchObject([{ status: 'ignored', refusal: null }, ignored('muted')]);
  await chat.handBack();
  await chat.say('and now?', inTeam(anna));
  await chat.answers(1);
  const shown = JSON.stringify(services.model.requests.last);
  expect(shown).toContain('one');
  expect(shown).not.toContain('evil');
});

test('a person without a grant for a private chat is notified once an hour, and it counts as no answer', async () => {
  const bot = await newBot();
  await callOk('PUT', `/bots/${bot.botId}`, { privateChats: 'granted' });
  const chat = new Chat(services, bot);
  const start = { ...inPrivate(anna), command: { name: 'start', argument: '' } };
  for (const [text, change] of [
    ['/start', start],
    ['hello', inPrivate(anna)],
    ['anybody?', inPrivate(anna)],
  ] as const) {
    expect(await say(chat, text, change)).toEqual(ignored('private chat not granted'));
  }
  expect(await chat.answers(1)).toEqual([notice]);
  // Another person in another chat gets the notice as well.
  const other = new Chat(services, bot);
  await say(other, 'hello', inPrivate(mallory));
  expect(await other.answers(1)).toEqual([notice]);
  await services.harness.asOwner(
    `update agents.turns set created_at = created_at - interval '61 minutes' where conversation_id = $1`,
    [chat.conversationId],
  );
  await say(chat, 'still nobody?', inPrivate(anna));
  expect(await chat.answers(2)).toEqual([notice, notice]);
  await callOk('POST', '/private-chat-grants', { botId: bot.botId, ...on(anna) });
  expect(await say(chat, 'thanks', inPrivate(anna))).toEqual(answered);
  expect((await chat.answers(3))[2]).toBe('re: thanks');
  expect((await chat.replies()).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(JSON.stringify(services.model.requests.all.at(-1))).not.toContain('nobody');
  const completed = await services.harness.asOwner<{ outcome: string }>(
    `select data::json ->> 'outcome' as outcome from agents.outbox where subject like $1 order by id`,
    [`%.event.${turnCompleted.name}.%.${chat.conversationId}`],
  );
  expect(completed.map((event) => event.outcome)).toEqual(['apologized', 'apologized', 'answered']);
});

test('the author in a private chat with another name is checked themselves', async () => {
  const bot = await newBot();
  await callOk('POST', '/moderation', on(mallory));
  const { chat: place } = inPrivate(anna);
  const chat = new Chat(services, bot);
  expect(await say(chat, 'hello', { chat: place!, sender: mallory })).toEqual(ignored('muted'));
  expect(await say(chat, 'hello', { chat: place!, sender: { ...anna, name: 'Renamed' } })).toEqual(answered);
});

test('while tenancy is down messages wait unanswered, without an apology or a failure, and are answered once after', async () => {
  const bot = await newBot();
  await services.harness.settled('agents', 'tenancy');
  await services.tenancy.stop();
  const chat = new Chat(services, bot);
  await chat.say('hello', inPrivate(anna));
  const state = async () => {
    const [row] = await services.harness.asOwner<{ fence: number; failures: number; untried: boolean }>(
      `select fence::int, failures, claims <= 1 as untried from agents.conversations where conversation_id = $1`,
      [chat.conversationId],
    );
    return row;
  };
  await eventually('it was tried again', async () => ((await state())?.fence ?? 0) >= 3);
  expect(await chat.replies()).toEqual([]);
  expect(await state()).toMatchObject({ failures: 0, untried: true });
  services.tenancy = await startTenancy(services);
  expect(await chat.answers(1)).toEqual(['re: hello']);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
});
