import { messageEdited, messageReceived } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import type { CallFilter } from '@botyard/testing/fake/fake-server';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { editOf, pressIn, sayTo } from '../../chat-updates.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  newIntegration,
  openWebhooksServices,
  post,
  publishedAll,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let webhooks: TestService;
let bot: Integration;
let chatId = 8_000_000;

beforeAll(async () => {
  services = await openWebhooksServices();
  webhooks = await startWebhooks(services);
  bot = await save(services, newIntegration(services));
});

beforeEach(() => {
  chatId += 1;
  services.messenger.clearFaults();
});

afterAll(() => closeWebhooksServices(services));

const take = async (...updates: object[]) => {
  for (const update of updates) expect((await post(webhooks, bot, update)).status).toBe(200);
};

const here = <Event extends { chat: { platformChatId: string } }>(events: Event[]): Event[] =>
  events.filter(({ chat }) => chat.platformChatId === String(chatId));

async function published() {
  await publishedAll(services);
  return {
    messages: here(await eventsOf(services.harness, messageReceived)),
    edits: here(await eventsOf(services.harness, messageEdited)),
  };
}

describe('edits', () => {
  test('an edit is a separate event in the conversation of its message, and takes no position in it', async () => {
    const said = sayTo('', chatId, 'Hello');
    const edit = editOf(said, 'Hello again');
    await take(said, edit, edit, sayTo('', chatId, 'And?'));
    const { messages, edits } = await published();
    expect(messages.map(({ seq, text }) => [seq, text])).toEqual([
      [1, 'Hello'],
      [2, 'And?'],
    ]);
    expect(edits).toEqual([
      expect.objectContaining({
        conversationId: messages[0]!.conversationId,
        platformMessageId: messages[0]!.platformMessageId,
        text: 'Hello again',
        editNumber: edit.update_id,
        editedAt: '2026-11-20T18:41:00.000Z',
      }),
    ]);
  });

  test('fifty simultaneous copies of an edit and of a message are one each', async () => {
    const said = sayTo('', chatId, 'Hello');
    const edit = editOf(said, 'Hello again');
    await Promise.all(Array.from({ length: 50 }, () => take(said, edit)));
    const { messages, edits } = await published();
    expect([messages.length, edits.length]).toEqual([1, 1]);
  });

  test('a switched-off integration drops edits', async () => {
    const off = await save(services, newIntegration(services, { isEnabled: false }));
    const { status } = await post(webhooks, off, editOf(sayTo('', chatId, 'Hello'), 'changed'));
    expect(status).toBe(200);
    expect((await published()).edits).toEqual([]);
  });
});

describe('buttons', () => {
  const answersTo = (id: string) =>
    services.messenger.calls.filter(
      ({ operation, params }) => operation === 'answerCallbackQuery' && params.callback_query_id === id,
    );
  const isAbout =
    (id: string): CallFilter =>
    ({ params }) =>
      params.callback_query_id === id;
  const settled = (id: string) =>
    eventually('the press is settled', async () => {
      const rows = await services.harness.asOwner(
        'select from webhooks.callbacks where callback_query_id = $1 and due_at is null',
        [id],
      );
      return rows.length === 1;
    });
  /** Posts like the platform, which stores presses that wait for an acknowledgement. */
  const press = (data: string, change: Record<string, unknown> = {}) => {
    const update = pressIn(chatId, data, change);
    services.messenger.bot(bot.botToken).openCallbacks.push(update.callback_query.id);
    return { update, id: update.callback_query.id };
  };

  test("a press is acknowledged once, even if it is delivered repeatedly, and becomes the person's message", async () => {
    const { update, id } = press('yes');
    await Promise.all(Array.from({ length: 10 }, () => take(update)));
    await settled(id);
    await take(update);
    const { messages } = await published();
    expect(messages).toEqual([expect.objectContaining({ text: 'yes', seq: 1 })]);
    expect(messages[0]).not.toHaveProperty('command');
    expect(answersTo(id)).toHaveLength(1);
  });

  test.each([
    [
      'of an inaccessible message',
      () => ({ message: { chat: { id: chatId, type: 'private' }, message_id: 1, date: 0 } }),
      1,
    ],
    ['of an inline message', () => ({ message: undefined, inline_message_id: 'abc' }), 0],
    ['of a game', () => ({ data: undefined, game_short_name: 'chess' }), 0],
  ])('one %s is acknowledged too', async (_what, change, said) => {
    const { update, id } = press('yes', change());
    await take(update);
    await settled(id);
    expect(answersTo(id)).toHaveLength(1);
    expect((await published()).messages).toHaveLength(said);
  });

  test('a press for a disabled integration is acknowledged, and publishes no message', async () => {
    const off = await save(services, newIntegration(services, { isEnabled: false }));
    const update = pressIn(chatId, 'yes');
    expect((await post(webhooks, off, update)).status).toBe(200);
    await settled(update.callback_query.id);
    expect(answersTo(update.callback_query.id)).toHaveLength(1);
    expect((await published()).messages).toEqual([]);
  });

  test.each(['one\0two', '\ud800'])(
    'one whose number no database holds (%j) is 200, and is not kept',
    async (id) => {
      const update = pressIn(chatId, 'yes');
      await take({ ...update, callback_query: { ...update.callback_query, id } });
      expect((await published()).messages).toEqual([]);
    },
  );

  test('while the platform is down the call is retried; after a refusal it is not', async () => {
    const { update, id } = press('yes');
    services.messenger.failNext('answerCallbackQuery', { on: isAbout(id), status: 500 });
    await take(update);
    await settled(id);
    expect(answersTo(id)).toHaveLength(2);
    const late = pressIn(chatId, 'late');
    await take(late);
    await settled(late.callback_query.id);
    expect(answersTo(late.callback_query.id)).toHaveLength(1);
  });

  test('a press without a timely acknowledgement is left alone', async () => {
    const { update, id } = press('yes');
    services.messenger.failNext('answerCallbackQuery', { on: isAbout(id), status: 500 });
    const goOn = services.messenger.hold('answerCallbackQuery');
    await take(update);
    await eventually('the first try is under way', () => answersTo(id).length > 0);
    await services.harness.asOwner(
      `update webhooks.callbacks set created_at = now() - interval '10 minutes' where callback_query_id = $1`,
      [id],
    );
    goOn();
    await eventually('it has failed', () => answersTo(id)[0]?.status === 500);
    const next = press('next');
    await take(next.update);
    await settled(next.id);
    expect(answersTo(id)).toHaveLength(1);
  });
});
