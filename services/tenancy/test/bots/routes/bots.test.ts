import { randomUUID } from 'node:crypto';
import { botDeleted, botSaved } from '@botyard/contracts/events/tenancy';
import { initialSettings } from '@botyard/contracts/http/bot';
import { botWordKeys } from '@botyard/contracts/http/bot-words';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createBot,
  emitted,
  openTenancyServices,
  startAgents,
  type TenancyServices,
} from '../../tenancy-services.ts';

let services: TenancyServices;
let agents: TestService;

beforeAll(async () => {
  services = await openTenancyServices();
  agents = await startAgents(services.harness);
});

afterAll(() => services?.close());

function call(method: string, end: string, body?: unknown) {
  const { tenancy, acme } = services;
  return tenancy.call(method, `/api/bots/${acme.tenantId}${end}`, { as: acme.admin, body });
}

async function createAgent(people = services.acme): Promise<string> {
  const body = { name: 'Agent', instructions: 'Help.', provider: 'private-llm', model: 'default' };
  const answer = await agents.call('POST', '/api/definitions/agents', { as: people.admin, body });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const tooManyWords = () =>
  Object.fromEntries(
    ['de', 'en', 'fr'].map((language) => [
      language,
      Object.fromEntries(
        Object.keys(botWordKeys)
          .slice(0, 10)
          .map((key) => [key, 'x'.repeat(999)]),
      ),
    ]),
  );
const tooManyLanguages = () =>
  Object.fromEntries(
    Array.from({ length: 31 }, (_, index) => [`q${'ab'[index % 2]}${'abcdefghijklmnop'[index >> 1]}`, {}]),
  );

const savedOf = async (botId: string) =>
  (await emitted(services.harness, botSaved)).filter((state) => state.botId === botId);

describe('a bot', () => {
  test('is created with the defaults of the specification and announced', async () => {
    const { status, body } = await call('POST', '/bots', { name: 'Support' });
    expect(status).toBe(201);
    expect(body).toEqual({
      ...initialSettings,
      botId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenantId: services.acme.tenantId,
      name: 'Support',
      agentIds: [],
      enabled: true,
      joinWindowMs: 1200,
      answerDeadlineSeconds: 60,
      delayNoticeSeconds: 20,
      answerWithinMinutes: 60,
      handbackAfterMinutes: 60,
      defaultLanguage: 'en',
      words: {},
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await call('GET', `/${body.botId}`)).body).toEqual(body);
    expect(await savedOf(body.botId)).toMatchObject([{ isEnabled: true, joinWindowMs: 1200, revision: 1 }]);
  });

  test("refers to the tenant's agents in the order given", async () => {
    const agentIds = [await createAgent(), await createAgent(), await createAgent()].toReversed();
    const { status, body } = await call('POST', '/bots', { name: 'Support', agentIds });
    expect(status).toBe(201);
    expect(body.agentIds).toEqual(agentIds);
    expect(await savedOf(body.botId)).toMatchObject([{ agentIds }]);
  });

  test('an update changes the fields that it carries, and every update has a revision of its own', async () => {
    const agentId = await createAgent();
    const { body: bot } = await call('POST', '/bots', { name: 'Support', agentIds: [agentId] });
    const renamed = await call('PUT', `/${bot.botId}`, { name: 'Sales' });
    expect(renamed.body).toMatchObject({ name: 'Sales', agentIds: [agentId], enabled: true });
    const off = await call('PUT', `/${bot.botId}`, {
      enabled: false,
      joinWindowMs: 0,
      agentIds: [],
      answerDeadlineSeconds: 130,
      delayNoticeSeconds: 0,
      answerWithinMinutes: 5,
      handbackAfterMinutes: 15,
      defaultLanguage: 'pt-BR',
      words: { de: { greeting: 'Moin, {bot}!' } },
    });
    expect(off.body).toMatchObject({ name: 'Sales', agentIds: [], enabled: false, joinWindowMs: 0 });
    const states = await savedOf(bot.botId);
    expect(states.map(({ revision }) => revision)).toEqual([1, 2, 3]);
    expect(states.at(-1)).toMatchObject({
      name: 'Sales',
      isEnabled: false,
      joinWindowMs: 0,
      answerDeadlineSeconds: 130,
      delayNoticeSeconds: 0,
      answerWithinMinutes: 5,
      handbackAfterMinutes: 15,
      defaultLanguage: 'pt-BR',
      words: { de: { greeting: 'Moin, {bot}!' } },
    });
  });

  test('shows its texts in every language, beside the default texts', async () => {
    const words = { de: { greeting: "L'{bot} grüßt!" }, nl: { goodbye: 'Tot ziens!' } };
    const { body: bot } = await call('POST', '/bots', { name: 'Support', defaultLanguage: 'de', words });
    expect(bot).toMatchObject({ defaultLanguage: 'de', words });
    const { status, body } = await call('GET', `/${bot.botId}/words`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      defaultLanguage: 'de',
      languages: expect.arrayContaining(['ar', 'de', 'zh']),
    });
    expect(body.keys[0]).toEqual({
      key: 'greeting',
      when: 'Sent in reply to /start.',
      placeholders: ['bot'],
    });
    const textOf = (language: string, key: string) =>
      body.words.find((one: { language: string }) => one.language === language).texts[key];
    expect(textOf('de', 'greeting')).toEqual({
      text: "L'{bot} grüßt!",
      default: 'Hallo! Ich bin {bot}. Schreiben Sie mir, und ich antworte.',
      isOwn: true,
    });
    expect(textOf('de', 'help')).toMatchObject({ isOwn: false, text: textOf('de', 'help').default });
    expect(textOf('nl', 'goodbye')).toMatchObject({ isOwn: true, text: 'Tot ziens!' });
    expect(textOf('nl', 'help')).toEqual({ ...textOf('en', 'help') });
    expect((await call('GET', `/${randomUUID()}/words`)).status).toBe(404);
  });

  test('no longer exists after its deletion, which is announced once', async () => {
    const botId = await createBot(services, services.acme);
    expect((await call('DELETE', `/${botId}`)).status).toBe(204);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await call(method, `/${botId}`, method === 'PUT' ? { name: 'x' } : undefined);
      expect(answer.status).toBe(404);
    }
    expect((await call('GET', `/${botId}/integrations`)).status).toBe(404);
    const deleted = await emitted(services.harness, botDeleted);
    expect(deleted.filter((event) => event.botId === botId)).toHaveLength(1);
  });

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['a name of 10,000 characters', { name: '🦄'.repeat(5000) }, 'name'],
    ['an agent that is no identifier', { agentIds: ['nope'] }, 'agentIds.0'],
    ['the same agent twice', { agentIds: Array(2).fill('01920000-0000-7000-8000-000000000001') }, 'agentIds'],
    ['a window that is no whole number', { joinWindowMs: 0.5 }, 'joinWindowMs'],
    ['a window of an hour', { joinWindowMs: 3_600_000 }, 'joinWindowMs'],
    ['a deadline that no model keeps', { answerDeadlineSeconds: 9 }, 'answerDeadlineSeconds'],
    ['a deadline beyond 130 s', { answerDeadlineSeconds: 131 }, 'answerDeadlineSeconds'],
    ['a notice before the time', { delayNoticeSeconds: -1 }, 'delayNoticeSeconds'],
    ['a notice after any deadline', { delayNoticeSeconds: 121 }, 'delayNoticeSeconds'],
    ['enabled as a text', { enabled: 'true' }, 'enabled'],
    ['a default language that is none', { defaultLanguage: 'german!' }, 'defaultLanguage'],
    ['a default language in another spelling', { defaultLanguage: 'pt-br' }, 'defaultLanguage'],
    [
      'a default language that never ends',
      { defaultLanguage: `de-${'x'.repeat(10_000)}` },
      'defaultLanguage',
    ],
    ['words of no language', { words: { 'd e': { help: 'x' } } }, 'words.d e'],
    ['words of a language in another spelling', { words: { 'pt-br': { help: 'x' } } }, 'words.pt-br'],
    ['words under a key that nobody knows', { words: { de: { hepl: 'x' } } }, 'words.de.hepl'],
    ['an empty text', { words: { de: { help: '  ' } } }, 'words.de.help'],
    ['a text that is too long', { words: { de: { help: 'x'.repeat(1001) } } }, 'words.de.help'],
    ['a text with a control character', { words: { de: { help: 'a\u0007b' } } }, 'words.de.help'],
    ['a text that is half a character', { words: { de: { help: '\ud800' } } }, 'words.de.help'],
    ['a placeholder of another text', { words: { de: { help: 'I am {bot}' } } }, 'words.de.help'],
    ['a placeholder that nobody knows', { words: { de: { greeting: '{secret}' } } }, 'words.de.greeting'],
    ['a placeholder within one', { words: { de: { greeting: '{{bot}}' } } }, 'words.de.greeting'],
    [
      'a placeholder with a function',
      { words: { de: { greeting: '{$bot :integer}' } } },
      'words.de.greeting',
    ],
    ['a brace alone', { words: { de: { greeting: '{bot} {' } } }, 'words.de.greeting'],
    ['a text that is an object', { words: { de: { help: { text: 'x' } } } }, 'words.de.help'],
    ['more text than a bot may have', { words: tooManyWords() }, 'words'],
    ['more languages than there may be', { words: tooManyLanguages() }, 'words'],
  ])('with %s is refused with 400 that names the field', async (_what, change, path) => {
    const answer = await call('POST', '/bots', { name: 'Support', ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.issues).toMatchObject([{ path }]);
  });

  test('a tenantId or botId in the body selects nothing, and a revision is refused', async () => {
    const { other, harness } = services;
    const claimed = { tenantId: other.tenantId, botId: randomUUID() };
    const refused = await call('POST', '/bots', { name: 'Support', revision: 99 });
    expect([refused.status, refused.body.issues]).toMatchObject([
      400,
      [{ path: 'revision', message: expect.stringMatching(/^unrecognized field/) }],
    ]);
    const { status, body } = await call('POST', '/bots', { name: 'Support', ...claimed });
    expect(status).toBe(201);
    expect(body.tenantId).toBe(services.acme.tenantId);
    expect(body.botId).not.toBe(claimed.botId);
    const updated = await call('PUT', `/${body.botId}`, { name: 'Renamed', ...claimed });
    expect(updated.body).toMatchObject({ botId: body.botId, tenantId: services.acme.tenantId });
    const rows = await harness.asOwner('select from tenancy.bots where tenant_id = $1', [other.tenantId]);
    expect(rows).toEqual([]);
  });
});

describe('the agents of a bot', () => {
  test("are 400 with an issue for each one that is unknown or another tenant's", async () => {
    const [own, foreign, missing] = [await createAgent(), await createAgent(services.other), randomUUID()];
    const message = 'is not an agent of this tenant';
    for (const [method, end] of [
      ['POST', '/bots'],
      ['PUT', `/${await createBot(services, services.acme)}`],
    ] as const) {
      const answer = await call(method, end, { name: 'Support', agentIds: [own, foreign, missing] });
      expect(answer.status).toBe(400);
      expect(answer.body.issues).toEqual([
        { path: 'agentIds.1', message },
        { path: 'agentIds.2', message },
      ]);
    }
  });

  test('may be given in upper case', async () => {
    const agentId = await createAgent();
    const { status, body } = await call('POST', '/bots', { name: 'S', agentIds: [agentId.toUpperCase()] });
    expect(status).toBe(201);
    expect(body.agentIds).toEqual([agentId]);
  });

  test('can not be checked while the agents service is down: 503, and nothing is stored', async () => {
    const agentId = await createAgent();
    const bots = () => services.harness.asOwner('select from tenancy.bots');
    const before = await bots();
    await agents.stop();
    const answer = await call('POST', '/bots', { name: 'Support', agentIds: [agentId] });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect((await bots()).length).toBe(before.length);
    expect((await call('POST', '/bots', { name: 'Support' })).status).toBe(201);
    agents = await startAgents(services.harness);
  });
});

test('the old path of integrations, without a tenant, is 404 for everybody who is signed in', async () => {
  const { acme, tenancy } = services;
  const { botId } = (await call('POST', '/bots', { name: 'Support' })).body;
  for (const as of [acme.admin, acme.member, acme.operator, acme.stranger])
    expect((await tenancy.call('GET', `/api/bots/${botId}/integrations`, { as })).status).toBe(404);
});

describe('the reserved words of the paths', () => {
  test.each(['tenants', 'superadmin', 'available-agents', 'bots'])('%s is never a resource', async (word) => {
    const { acme, tenancy } = services;
    for (const as of [acme.admin, acme.operator, acme.stranger]) {
      const asTenant = await tenancy.call('GET', `/api/bots/${word}/${randomUUID()}`, { as });
      const asBot = await tenancy.call('GET', `/api/bots/${acme.tenantId}/${word}`, { as });
      const created = await tenancy.call('POST', `/api/bots/${word}/bots`, { as, body: { name: 'x' } });
      expect([403, 404]).toContain(asTenant.status);
      // Bots are created at that path: a caller who may do that learns it.
      expect(word === 'bots' ? [403, 405] : [404]).toContain(asBot.status);
      const makesPlatformBot = word === 'superadmin' && as === acme.operator;
      expect(makesPlatformBot ? [201] : [403, 404]).toContain(created.status);
    }
  });

  test.each([
    ['POST /api/bots', 405],
    ['POST /api/bots/{id}/integrations', 404],
    ['GET /api/bots/{id}', 404],
  ])('the path without a tenant %s does not exist', async (route, status) => {
    const [method = '', path = ''] = route.replace('{id}', randomUUID()).split(' ');
    const body = method === 'POST' ? { name: 'x' } : undefined;
    const answer = await services.tenancy.call(method, path, { as: services.acme.admin, body });
    expect(answer.status).toBe(status);
  });
});
