import { replyCreated } from '@botyard/contracts/events/agents';
import { fillTemplate, listTemplates } from '@botyard/contracts/events/webhook-templates';
import { answer } from '@botyard/shared/bus/requests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { HandledChat } from './chats.ts';

let services: AgentsServices;
let bot: TestBot;
const listed: object[] = [];

const orderReady = {
  name: 'order_ready',
  language: 'en',
  category: 'UTILITY',
  header: null,
  body: 'Hello {{1}}, order {{2}} is ready.',
  footer: null,
  buttons: [],
  parameters: [{ name: '1' }, { name: '2' }],
};
const list = { isWindowOpen: false, templates: [orderReady], unavailable: [], isCut: false };

beforeAll(async () => {
  services = await openAgentsServices();
  const bus = await services.harness.busAs('webhooks');
  answer(bus, listTemplates, async (asked) => {
    listed.push(asked);
    return list;
  });
  answer(bus, fillTemplate, async ({ name, language, parameters }) =>
    name === orderReady.name
      ? {
          outcome: 'filled' as const,
          text: `Hello ${parameters[0]}, order ${parameters[1]} is ready.`,
          template: {
            name,
            language,
            parameters: parameters.map((text, index) => ({ name: `${index + 1}`, text })),
          },
        }
      : { outcome: 'refused' as const, issues: [{ path: 'name', message: 'no template has this name' }] },
  );
  bot = await createBot(services, services.acme);
});
afterAll(() => services?.close());

/** A chat of a platform with templates. */
async function whatsAppChat(): Promise<HandledChat> {
  const chat = await HandledChat.begun(services, bot);
  await services.harness.asOwner(
    `update agents.conversations set platform = 'whatsapp', place = place || '{"platformChatId": "DE.1"}'
     where conversation_id = $1`,
    [chat.conversationId],
  );
  return chat;
}

describe('templates for a chat', () => {
  test('are those of its platform, and say whether it takes other texts', async () => {
    const chat = await whatsAppChat();
    const { status, body } = await chat.call('GET', '/templates?q=Order');
    expect([status, body]).toEqual([200, list]);
    const { botId } = bot;
    expect(listed.at(-1)).toMatchObject({ botId, platform: 'whatsapp', platformChatId: 'DE.1', q: 'Order' });
  });

  test('are none on a platform without any, and nobody is asked', async () => {
    const chat = await HandledChat.begun(services, bot);
    const before = listed.length;
    const { status, body } = await chat.call('GET', '/templates');
    expect([status, body]).toEqual([
      200,
      { isWindowOpen: true, templates: [], unavailable: [], isCut: false },
    ]);
    expect(listed).toHaveLength(before);
  });
});

const template = { name: 'order_ready', language: 'en', parameters: ['Anna', '17'] };

async function announced(messageId: string) {
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1 and data like $2',
    [`%.event.${replyCreated.name}.%`, `%${messageId}%`],
  );
  return rows.map(({ data }) => replyCreated.schema.parse(JSON.parse(data)));
}

describe('a message with a template', () => {
  test('is sent as that template, and stands in the inbox with its parameters filled in', async () => {
    const chat = await whatsAppChat();
    await chat.takeOver();
    const { status, body } = await chat.call('POST', '/messages', { template });
    expect([status, body]).toEqual([201, { messageId: expect.any(String), state: 'sending' }]);
    const text = 'Hello Anna, order 17 is ready.';
    expect((await chat.messages())[0]).toMatchObject({ text, author: { kind: 'staff' } });
    const parameters = [
      { name: '1', text: 'Anna' },
      { name: '2', text: '17' },
    ];
    expect(await announced(body.messageId)).toMatchObject([
      { text, author: 'staff', template: { name: 'order_ready', language: 'en', parameters } },
    ]);
  });

  test('that did not arrive is sent again as the same template', async () => {
    const chat = await whatsAppChat();
    await chat.takeOver();
    const { body } = await chat.call('POST', '/messages', { template });
    await services.harness.asOwner(`update agents.messages set status = 'failed' where message_id = $1`, [
      body.messageId,
    ]);
    const path = `/api/interactions/undelivered/${body.messageId}/resend`;
    const again = await services.agents.call('POST', path, { as: services.acme.admin });
    const [event] = await announced(again.body.messageId);
    expect(event).toMatchObject({
      template: { name: 'order_ready' },
      text: 'Hello Anna, order 17 is ready.',
    });
  });

  test.each([
    ['beside a text', { template, text: 'Hello' }, 422, 'template'],
    ['that is unknown', { template: { ...template, name: 'other' } }, 422, 'template.name'],
    ['that is missing, without a text', {}, 400, 'text'],
  ])('%s is refused, and names the field', async (_what, written, status, path) => {
    const chat = await whatsAppChat();
    await chat.takeOver();
    const answered = await chat.call('POST', '/messages', written);
    expect([answered.status, answered.body.issues?.[0]?.path]).toEqual([status, path]);
  });

  test('is refused on a platform without templates, and while the bot handles the chat', async () => {
    const chat = await HandledChat.begun(services, bot);
    expect((await chat.call('POST', '/messages', { template })).status).toBe(409);
    await chat.takeOver();
    const { status, body } = await chat.call('POST', '/messages', { template });
    expect([status, body.issues[0].message]).toEqual([422, 'Telegram has no templates']);
  });
});
