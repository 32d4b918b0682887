import { expect, test } from 'vitest';
import { fillTemplate, listTemplates } from '../../../src/chats/domain/templates.ts';
import type { TemplatesOfChat } from '../../../src/platforms/domain/templates.ts';
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

const depsWith = (templates: TemplatesOfChat['templates']) => {
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

const greeting = { ...template('greeting', 'Hello {{name}}'), parameters: [{ name: 'name' }] };
const fill = (change: object) =>
  fillTemplate(depsWith([greeting]), {
    ...chat,
    name: 'greeting',
    language: 'en',
    parameters: ['Anna'],
    ...change,
  });

test('the text of a filled template is what the platform gets: without line breaks in its parameters', async () => {
  expect(await fill({ parameters: [' Anna\n\tKeller '] })).toEqual({
    outcome: 'filled',
    text: 'Hello Anna Keller',
    template: { name: 'greeting', language: 'en', parameters: [{ name: 'name', text: 'Anna Keller' }] },
  });
});

test.each([
  ['another language', { language: 'de' }, 'name', 'no template has this name and language'],
  ['a template that can not be sent', { name: 'photo' }, 'name', 'its header is a file'],
  ['another number of parameters', { parameters: [] }, 'parameters', 'the template has 1 gaps, not 0'],
  ['an empty parameter', { parameters: [' '] }, 'parameters.0', 'must not be empty'],
  [
    'a long parameter',
    { parameters: ['x'.repeat(1025)] },
    'parameters.0',
    'must have at most 1024 characters',
  ],
  [
    'a long text',
    { parameters: ['x'.repeat(1020)] },
    'parameters',
    'the text is longer than 1024 characters with them',
  ],
  ['a platform without templates', { platform: 'slack' }, 'name', 'Slack has no templates'],
] as const)('%s is refused with the field and the reason', async (_what, change, path, message) => {
  expect(await fill(change)).toEqual({ outcome: 'refused', issues: [{ path, message }] });
});
