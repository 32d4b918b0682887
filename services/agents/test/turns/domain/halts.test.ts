import { replyCreated } from '@botyard/contracts/events/agents';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { changeChat } from '../../chat-events.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterAll(() => services?.close());

/** A chat whose first message is at the model, which does not answer. */
async function busyChat(place: string) {
  const chat = new Chat(services, bot);
  const inPlace = { chat: { platformChatId: place, kind: 'private', title: 'Anna' } } as const;
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say('a long story', inPlace);
  await nextRequest;
  return { chat, inPlace };
}

const statesOf = async (chat: Chat) => (await chat.written()).map(({ status }) => status);

describe('/stop', () => {
  const stop = { command: { name: 'stop', argument: '' } };

  test('ends the current answer and waiting ones: only the confirmation is sent', async () => {
    const { chat, inPlace } = await busyChat('1');
    await chat.say('and another', inPlace);
    await chat.say('/stop', { ...stop, ...inPlace });
    expect(await chat.answers(1)).toEqual([expect.stringContaining('I have stopped')]);
    services.model.release();
    await chat.isIdle();
    expect(await chat.replies()).toHaveLength(1);
    expect(await statesOf(chat)).toEqual(['ignored', 'ignored', 'answered']);
    await chat.say('again', inPlace);
    expect((await chat.answers(2))[1]).toBe('re: again');
  });

  test('makes senders drop pending messages', async () => {
    const chat = new Chat(services, bot);
    await chat.say('/stop', stop);
    await chat.answers(1);
    await services.harness.settled('agents', 'webhooks');
    const [row] = await services.harness.asOwner<{ data: string }>(
      'select data from agents.outbox where data like $1 and subject like $2',
      [`%${chat.conversationId}%`, '%reply%'],
    );
    expect(replyCreated.schema.parse(JSON.parse(row!.data))).toMatchObject({
      stopsEarlier: true,
      askedAt: expect.any(String),
    });
  });

  test('forgets no messages', async () => {
    const chat = new Chat(services, bot);
    await chat.say('my name is Anna');
    await chat.answers(1);
    await chat.say('/stop', stop);
    await chat.answers(2);
    await chat.say('who am I?');
    await chat.answers(3);
    expect(JSON.stringify(services.model.requests.last?.messages)).toContain('my name is Anna');
  });
});

describe('a chat that was blocked', () => {
  const chatsOf = async () =>
    (await services.agents.call('GET', '/api/interactions/chats', { as: services.acme.admin })).body;

  test('is no longer answered, and shows it; later messages there are answered as usual', async () => {
    const { chat, inPlace } = await busyChat('2');
    const waits = chat.message('and another', inPlace);
    await services.harness.publish(messageReceived, waits);
    await services.harness.settled('agents', 'webhooks');
    await changeChat(services, waits);
    await chat.isIdle();
    services.model.release();
    expect(await chat.replies()).toEqual([]);
    expect(await statesOf(chat)).toEqual(['ignored', 'ignored']);
    expect((await chatsOf())[0]).toMatchObject({
      isBlocked: true,
      blockedReason: 'the person blocked the bot',
    });
    await chat.say('I am back', inPlace);
    expect(await chat.answers(1)).toEqual(['re: I am back']);
    const [open] = await chatsOf();
    expect(open).toMatchObject({ isBlocked: false });
    expect(open).not.toHaveProperty('blockedReason');
  });

  test('is active again when it is reactivated, even if older changes arrive late', async () => {
    const chat = new Chat(services, bot);
    const place = { chat: { platformChatId: '3', kind: 'private', title: 'Anna' } } as const;
    await chat.say('hello', place);
    await chat.answers(1);
    const message = chat.message('x', place);
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    await changeChat(services, message, { changedAt: at(60_000) });
    expect((await chatsOf())[0]).toMatchObject({ isBlocked: true });
    await changeChat(services, message, { state: 'active', changedAt: at(90_000) });
    await changeChat(services, message, { changedAt: at(70_000) });
    expect((await chatsOf())[0]).toMatchObject({ isBlocked: false });
  });

  test("does not include another bot's, or another tenant's, chat of the same number", async () => {
    const place = { chat: { platformChatId: '4', kind: 'private', title: 'Anna' } } as const;
    const other = new Chat(services, await createBot(services, services.acme));
    await changeChat(services, other.message('x', place), {
      changedAt: new Date(Date.now() + 60_000).toISOString(),
    });
    const chat = new Chat(services, bot);
    await chat.say('hello', place);
    expect(await chat.answers(1)).toEqual(['re: hello']);
  });
});
