import { expect, test } from 'vitest';
import { listTemplates } from '../../../src/chats/domain/templates.ts';
import type { Platforms } from '../../../src/platforms/platform.ts';

const template = (name: string, body: string) => ({
  name,
  language: 'en',
  category: 'UTILITY',
  header: null,
  body,
  footer: null,
  buttons: [],
  parameters: [],
});

const depsWith = (templates: ReturnType<typeof template>[]) => {
  const list = async () => ({
    isWindowOpen: false,
    templates,
    unavailable: [{ name: 'photo', language: 'en', reason: 'its header is a file' }],
  });
  return { platforms: { whatsapp: { templates: { list } }, slack: {} } as unknown as Platforms };
};
const chat = { tenantId: 't', botId: 'b', platform: 'whatsapp', platformChatId: '49170' } as const;

test('templates are found by a part of their name or body', async () => {
  const deps = depsWith([
    template('order_ready', 'Come by'),
    template('greeting', 'Your ORDER?'),
    template('x', 'y'),
  ]);
  const { templates, unavailable } = await listTemplates(deps, { ...chat, q: 'Order' });
  expect(templates.map(({ name }) => name)).toEqual(['order_ready', 'greeting']);
  expect(unavailable).toEqual([]);
});

test('a list that is too long for one response is cut, and says so', async () => {
  const many = Array.from({ length: 500 }, (_, index) => template(`one-${index}`, '語'.repeat(1024)));
  const { templates, isCut } = await listTemplates(depsWith(many), chat);
  expect([templates.length < 500, templates.length > 100, isCut]).toEqual([true, true, true]);
});

test('a platform without templates has none, and its chats are open', async () => {
  const list = await listTemplates(depsWith([]), { ...chat, platform: 'slack' });
  expect(list).toEqual({ isWindowOpen: true, templates: [], unavailable: [], isCut: false });
});
