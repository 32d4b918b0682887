import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conversationOf, publishReplies } from '../../replies.ts';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  newToken,
  openWebhooksServices,
  remove,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { announced, arrived, callsOf, polledBot, polling, say, waitingAt } from '../polled-bots.ts';

let services: WebhooksServices;

beforeAll(async () => {
  services = await openWebhooksServices();
  await startWebhooks(services, polling);
  await startWebhooks(services, polling);
});
afterAll(() => closeWebhooksServices(services));

const confirmed = (bot: Integration) =>
  eventually('what was stored is confirmed', () => waitingAt(services, bot) === 0);

async function leaseOf({ integrationId }: Integration): Promise<Date | null | undefined> {
  const [row] = await services.harness.asOwner<{ lease: Date | null }>(
    'select poll_lease_until as lease from webhooks.endpoints where integration_id = $1',
    [integrationId],
  );
  return row?.lease;
}

describe('a polled bot', () => {
  test('has its webhook removed before the first poll, and keeps waiting updates', async () => {
    const bot = newIntegration(services);
    services.messenger.bot(bot.botToken).webhook = {
      url: 'http://127.0.0.1:1/',
      secretToken: undefined,
      maxConnections: 40,
      ipAddress: undefined,
    };
    say(services, bot, 'before');
    await save(services, bot);
    await arrived(services, bot, 'before');
    const operations = callsOf(services, bot, 'deleteWebhook', 'getUpdates', 'setWebhook').map(
      (call) => call.operation,
    );
    expect(operations[0]).toBe('deleteWebhook');
    expect(operations).not.toContain('setWebhook');
    expect(callsOf(services, bot, 'deleteWebhook')[0]?.params).not.toHaveProperty('drop_pending_updates');
  });

  test('is announced as registered by polling, and has its menu', async () => {
    const bot = await polledBot(services);
    expect(await announced(services, bot, 'registered')).toMatchObject({
      mode: 'polling',
      pendingUpdates: 0,
    });
    expect(services.messenger.bot(bot.botToken).commands.map(({ command }) => command)).toContain('start');
  });

  test('is polled for the kinds of updates that a webhook gets, with a wait', async () => {
    const bot = await polledBot(services);
    const kinds = ['message', 'edited_message', 'callback_query', 'my_chat_member', 'message_reaction'];
    const { params } = callsOf(services, bot, 'getUpdates')[0]!;
    expect(params).toMatchObject({ allowed_updates: kinds, timeout: 5, limit: 100 });
    expect(params).not.toHaveProperty('offset');
  });

  test('gets its messages once and in order, and the platform then drops them', async () => {
    const bot = await polledBot(services);
    const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`);
    for (const text of texts) say(services, bot, text, 77);
    await arrived(services, bot, ...texts);
    await confirmed(bot);
    const refused = callsOf(services, bot, 'getUpdates').filter(({ status }) => status === 409);
    expect(refused).toEqual([]);
  });

  test('answers', async () => {
    const bot = await polledBot(services);
    const { platformChatId, reply } = conversationOf(bot);
    await publishReplies(services, reply('Hello to you'));
    await eventually('the answer is sent', () =>
      services.messenger.sent.all.some((sent) => sent.chatId === platformChatId),
    );
  });

  test('accepts a repeated update once', async () => {
    const bot = await polledBot(services);
    const { update } = say(services, bot, 'only once');
    await arrived(services, bot, 'only once');
    services.messenger.receive(bot.botToken, update);
    say(services, bot, 'after it');
    await arrived(services, bot, 'only once', 'after it');
  });

  test('accepts nothing while it is disabled, as by its webhook, and keeps nothing for later', async () => {
    const bot = await polledBot(services);
    await save(services, { ...bot, isEnabled: false, revision: 2 });
    say(services, bot, 'to nobody');
    await confirmed(bot);
    await save(services, { ...bot, revision: 3 });
    say(services, bot, 'on again');
    await arrived(services, bot, 'on again');
  });

  test('is no longer polled after it is deleted', async () => {
    const bot = await polledBot(services);
    await remove(services, bot);
    await eventually('nobody holds it', async () => (await leaseOf(bot)) === null);
    say(services, bot, 'nobody asks');
    const other = await polledBot(services);
    say(services, other, 'to another');
    await arrived(services, other, 'to another');
    expect(waitingAt(services, bot)).toBe(1);
  });

  test('is polled with a new token of another account, and none of its updates is skipped', async () => {
    const bot = await polledBot(services);
    services.messenger.bot(bot.botToken).nextUpdateId = 2 ** 40;
    say(services, bot, 'to the first account');
    await arrived(services, bot, 'to the first account');
    const second = newIntegration(services, { ...bot, botToken: newToken(), revision: 2 });
    services.messenger.bot(second.botToken).nextUpdateId = 5;
    say(services, second, 'to the second account');
    await save(services, second);
    await arrived(services, bot, 'to the first account', 'to the second account');
  });
});

describe("the platform's answers", () => {
  test('are skipped if they contain no valid update, and delay nothing', async () => {
    const bot = await polledBot(services);
    services.messenger.receive(bot.botToken, { message: { text: { hostile: true }, chat: 'x' } });
    services.messenger.receive(bot.botToken, { message: { text: 'x'.repeat(300 * 1024) } });
    say(services, bot, 'after them');
    await arrived(services, bot, 'after them');
    await confirmed(bot);
  });

  test('are requested one by one if they are too large together', async () => {
    const bot = newIntegration(services);
    for (let count = 0; count < 20; count += 1)
      services.messenger.receive(bot.botToken, { message: { text: 'x'.repeat(250 * 1024) } });
    say(services, bot, 'behind all that');
    await save(services, bot);
    await arrived(services, bot, 'behind all that');
    expect(callsOf(services, bot, 'getUpdates').some(({ params }) => params.limit === 1)).toBe(true);
  });
});

test('with the setting for webhooks again, the webhook is set and polling ends', async () => {
  const own = await openWebhooksServices();
  try {
    const one = await startWebhooks(own, polling);
    const bot = await save(own, newIntegration(own));
    await eventually('it is asked', () =>
      own.messenger.calls.all.some((call) => call.operation === 'getUpdates'),
    );
    await one.stop();
    own.messenger.say({ botToken: bot.botToken, chatId: 5, text: 'meanwhile' });
    const two = await startWebhooks(own, polling);
    await arrived(own, bot, 'meanwhile');
    await two.stop();
    await startWebhooks(own);
    await eventually('the webhook is set', () => own.messenger.bot(bot.botToken).webhook?.url);
  } finally {
    await closeWebhooksServices(own);
  }
});
