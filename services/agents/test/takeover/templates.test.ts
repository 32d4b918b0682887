import { listTemplates } from '@botyard/contracts/events/webhook-templates';
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
