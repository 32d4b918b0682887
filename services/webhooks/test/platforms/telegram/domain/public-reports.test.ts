import { expect, test } from 'vitest';
import { formatReply } from '../../../../src/platforms/telegram/domain/format-reply.ts';
import { readUpdate } from '../../../../src/platforms/telegram/domain/read-update.ts';

/** Inputs of public reports about comparable software, each with its source. */
const bot = { platformBotId: '7', username: 'helper' };
const frame = {
  message_id: 5,
  from: { id: 3, is_bot: false, first_name: 'Anna' },
  chat: { id: 3, type: 'private', first_name: 'Anna' },
  date: 1_795_200_000,
};
const message = (fields: object) => readUpdate({ update_id: 1, message: { ...frame, ...fields } }, bot);

test.each([
  [
    'NousResearch/hermes-agent#98598',
    { contact: { phone_number: '+4930', first_name: 'Bert' } },
    '[contact: Bert, +4930]',
  ],
  ['home-assistant/core#78676', { location: { latitude: 1.3, longitude: 103.8 } }, '[place: 1.3, 103.8]'],
  ['NousResearch/hermes-agent#78719', { dice: { emoji: '🎯', value: 6 } }, '[dice: 🎯, 6]'],
  ['openclaw/openclaw#142530', { sticker: { emoji: '😀', is_video: true } }, '[sticker: 😀]'],
  [
    'NousResearch/hermes-agent#54262',
    { text: 'Closed', forward_origin: { type: 'hidden_user', sender_user_name: 'A. K.' } },
    '[forwarded from A. K.]\nClosed',
  ],
])('%s: the agent reads %j', (_source, fields, text) => {
  expect(message(fields)).toMatchObject({ message: { text, content: 'text' } });
});

test('NousResearch/hermes-agent#93722: a reply to a message of another chat has its words and its author', () => {
  const origin = {
    type: 'channel',
    chat: { id: -1, type: 'channel', title: 'Venture Capital' },
    message_id: 4,
  };
  const fields = {
    text: 'What is it?',
    external_reply: { origin },
    quote: { text: 'Inversion', position: 0 },
  };
  expect(message(fields)).toMatchObject({
    message: { quote: { text: 'Inversion', author: { name: 'Venture Capital' } } },
  });
});

test('NousResearch/hermes-agent#49806: a place that is shared live is answered once, and not at each step', () => {
  const location = { latitude: 1, longitude: 2, live_period: 900 };
  expect(message({ location })).toMatchObject({ message: { text: '[place, shared live: 1, 2]' } });
  const step = { ...frame, location, edit_date: 1_795_200_060 };
  expect(readUpdate({ update_id: 2, edited_message: step }, bot)).toMatchObject({
    ignored: 'a place that is shared live',
  });
});

test('grammyjs/auto-thread#3: the thread of a reply in the general topic is no topic', () => {
  const chat = { id: -1002, type: 'supergroup', title: 'Team', is_forum: true };
  const entities = [{ type: 'mention', offset: 0, length: 7 }];
  const read = message({ chat, text: '@helper hi', entities, message_thread_id: 44 });
  expect(read).toMatchObject({ message: { text: 'hi' } });
  expect((read as { message: { chat: object } }).message.chat).not.toHaveProperty('threadId');
});

test.each([
  ['botfather-dev/formatter-chatgpt-telegram#15', '$\\frac{a+b}{c+d}$, $\\sqrt[3]{y}$', '(a+b)/(c+d), ³√y'],
  ['tdlib/telegram-bot-api#861', '$$\n\\boxed{E_n = \\hbar\\omega}\n$$', 'Eₙ = ℏω'],
  ['lobehub/lobehub#8553', 'pay **$1.50** for kale, $4 in all', 'pay <b>$1.50</b> for kale, $4 in all'],
  [
    'micromark/micromark#41',
    '1.  **新規アプリの追加（NEW APP）**を選択します。',
    '1. <b>新規アプリの追加（NEW APP）</b>を選択します。',
  ],
  ['yerzhansa/enduragent#81', '| a |\n|---|\n| **b** |', '<pre>a\n-\nb</pre>'],
  ['Chainlit/chainlit#1226', 'so \\( x = 2 \\) and \\[ y^2 \\]', 'so x = 2 and y²'],
])('%s: people see no markup of %j', (_source, markdown, html) => {
  expect(formatReply(markdown).map((part) => part.html)).toEqual([html]);
});
