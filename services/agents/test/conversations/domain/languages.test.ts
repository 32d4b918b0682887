import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { speaking } from '@botyard/words/words';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sayingTo } from '../../../src/conversations/domain/phrases.ts';
import { type AgentsServices, Chat, createBot, openAgentsServices, question } from '../../agents-services.ts';

let services: AgentsServices;

beforeAll(async () => {
  services = await openAgentsServices();
});
afterEach(() => {
  services.model.release();
  services.model.replyWith((request) => `re: ${question(request)}`);
});
afterAll(() => services?.close());

const from = (language?: string) => ({
  sender: { platformUserId: '5512345678', name: 'Anna Keller', ...(language ? { language } : {}) },
});
const stop = { text: '/stop', command: { name: 'stop', argument: '' } };

test.each([
  ['de', 'de'],
  ['pt-br', 'pt'],
  ['ar', 'ar'],
  ['nl', 'fr'],
  [undefined, 'fr'],
])("a person whose app uses %s gets a command's answer in %s", async (language, expected) => {
  const bot = await createBot(services, services.acme, { defaultLanguage: 'fr' });
  const chat = new Chat(services, bot);
  await chat.say('/stop', { ...stop, ...from(language) });
  expect(await chat.answers(1)).toEqual([speaking(expected)('goodbye')]);
});

test("a bot's own words are sent in their language, and a change applies to the next message", async () => {
  const words = { de: { greeting: 'Moin, hier ist {bot}!' } };
  const bot = await createBot(services, services.acme, { words });
  const start = { command: { name: 'start', argument: '' } };
  const chat = new Chat(services, bot);
  await chat.say('/start', { ...start, ...from('de-DE') });
  expect(await chat.answers(1)).toEqual(['Moin, hier ist Support!']);
  const path = `/api/bots/${bot.tenantId}/${bot.botId}`;
  const body = { words: {}, defaultLanguage: 'es' };
  expect((await services.tenancy.call('PUT', path, { as: services.acme.admin, body })).status).toBe(200);
  await eventually('the change has come', async () => {
    const [row] = await services.harness.asOwner<{ default_language: string }>(
      'select default_language from agents.bots where bot_id = $1',
      [bot.botId],
    );
    return row?.default_language === 'es';
  });
  await chat.say('/start', { ...start, ...from('de-DE') });
  expect((await chat.answers(2))[1]).toBe(speaking('de')('greeting', { bot: 'Support' }));
  await chat.say('/start', { ...start, ...from('xx') });
  expect((await chat.answers(3))[2]).toBe(speaking('es')('greeting', { bot: 'Support' }));
});

test('an apology and a notice about unreadable content are in the language of the person', async () => {
  const bot = await createBot(services, services.acme, { agentIds: [] });
  const chat = new Chat(services, bot);
  await chat.say('hello', from('tr'));
  await chat.say('', { content: 'unsupported', attachment: { kind: 'voice' }, ...from('uk') });
  expect(await chat.answers(2)).toEqual([speaking('tr')('no_agent'), speaking('uk')('unsupported_voice')]);
});

test("a notice of delay is sent in the person's language, and the model does not see it", async () => {
  const words = { it: { delay: 'Un attimo!' } };
  const bot = await createBot(services, services.acme, { delayNoticeSeconds: 1, words });
  const chat = new Chat(services, bot);
  for (const [index, language] of ['ja', 'it'].entries()) {
    services.model.hang();
    await chat.say(`hello ${language}`, from(language));
    await chat.answers(2 * index + 1);
    services.model.release();
    await chat.answers(2 * index + 2);
  }
  expect(await chat.answers(4)).toEqual([
    speaking('ja')('delay'),
    're: hello ja',
    'Un attimo!',
    're: hello it',
  ]);
  await chat.isIdle();
  const nextRequest = services.model.nextRequest();
  await chat.say('and now?', from('ja'));
  const read = ['hello ja', 're: hello ja', 'hello it', 're: hello it', 'and now?'];
  expect((await nextRequest).messages.slice(1).map(contentText)).toEqual(read);
});

test("the end of a waiting call is announced in the language of its person's last message", () => {
  const bot = { defaultLanguage: 'fr', words: {} };
  const sender = { platformUserId: '1', name: 'Anna' };
  const context = [
    { sender: null },
    { sender: { platformUserId: '2', name: 'Ravi', language: 'tr' } },
    { sender: { ...sender, language: 'uk' } },
    { sender: { ...sender, language: 'ja' } },
  ];
  expect(sayingTo(bot, [{ sender }], context)('goodbye')).toBe(speaking('uk')('goodbye'));
  expect(sayingTo(bot, [{ sender }], [])('goodbye')).toBe(speaking('fr')('goodbye'));
  expect(sayingTo(bot, [{ sender: null }], context)('goodbye')).toBe(speaking('fr')('goodbye'));
  const question = [{ sender }, { sender: { ...sender, language: 'it' } }];
  expect(sayingTo(bot, question, context)('goodbye')).toBe(speaking('it')('goodbye'));
});
