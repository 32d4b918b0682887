import { randomUUID } from 'node:crypto';
import { turnCompleted } from '@botyard/contracts/events/agents';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { contentText, type ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Cause } from '../../../src/models/domain/cause.ts';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  question,
  type TestBot,
} from '../../agents-services.ts';
import { apologyFor } from '../../in-english.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterEach(() => services.model.replyWith((request) => `re: ${question(request)}`));

afterAll(() => services?.close());

const completed = async (chat: Chat) =>
  (
    await services.harness.asOwner<{ data: string }>(
      `select data from agents.outbox where subject like $1 order by id`,
      [`%.event.${turnCompleted.name}.%.${chat.conversationId}`],
    )
  ).map(({ data }) => turnCompleted.schema.parse(JSON.parse(data)));

describe('an answer', () => {
  test("is the model's words, and the counted numbers are the model's own", async () => {
    services.model.replyWith('The answer is 42.');
    const chat = new Chat(services, bot);
    const nextRequest = services.model.nextRequest();
    await chat.say('What is the answer to everything?');
    const request = await nextRequest;
    expect(await chat.answers(1)).toEqual(['The answer is 42.']);
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    const inputTokens = Math.ceil(
      request.messages.reduce((sum, message) => sum + contentText(message).length, 0) / 4,
    );
    const [turn, ...more] = await completed(chat);
    expect(more).toEqual([]);
    expect(turn).toMatchObject({
      tenantId: bot.tenantId,
      botId: bot.botId,
      agentId: bot.agentIds[0],
      outcome: 'answered',
      provider: 'private-llm',
      model: 'default',
      keyId: null,
      keySource: 'platform',
      inputTokens,
      outputTokens: 5,
      isEstimated: false,
      toolCalls: 0,
    });
    const [stored] = await services.harness.asOwner(
      `select input_tokens, output_tokens, outcome, context_messages from agents.turns where conversation_id = $1`,
      [chat.conversationId],
    );
    expect(stored).toEqual({
      input_tokens: inputTokens,
      output_tokens: 5,
      outcome: 'answered',
      context_messages: 0,
    });
  });

  test('has the earlier messages as context, until /new', async () => {
    const chat = new Chat(services, bot);
    await chat.say('My name is Anna.');
    await chat.answers(1);
    await chat.say('Who am I?');
    await chat.answers(2);
    const said = (request: ModelRequest) => request.messages.slice(1).map(contentText);
    expect(said(services.model.requests.last!)).toEqual([
      'My name is Anna.',
      're: My name is Anna.',
      'Who am I?',
    ]);
    await chat.say('/new', { command: { name: 'new', argument: '' } });
    await chat.answers(3);
    await chat.say('And now?');
    await chat.answers(4);
    expect(said(services.model.requests.last!)).toEqual(['And now?']);
  });

  test('with U+0000 or half a character in it is kept without, and arrives', async () => {
    services.model.replyWith('a\0b\ud800c');
    const chat = new Chat(services, bot);
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual(['ab\ufffdc']);
  });

  test('is cut if the server ignores the limit', async () => {
    services.model.fail('chat', {
      status: 200,
      body: {
        id: 'x',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [
          { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x'.repeat(2_000_000) } },
        ],
      },
    });
    const chat = new Chat(services, bot);
    await chat.say('hello');
    const [text] = await chat.answers(1);
    expect(text?.length).toBe(100_000);
    expect((await completed(chat))[0]).toMatchObject({ isEstimated: true, outputTokens: 25_000 });
  });
});

describe('without an answer of the model there is exactly one apology for the cause, with nothing of the provider', () => {
  const detail = 'internal-host-7.example key sk-live-4242424242';
  const body = { error: { message: detail, type: 'x', param: null, code: null } };

  test.each([
    ['500', { status: 500, body, headers: { 'retry-after-ms': '1' } }, 'unavailable'],
    ['no JSON', { status: 200, body: `<html>${detail}` }, 'unavailable'],
    ['401', { status: 401, body }, 'key refused'],
    ['403', { status: 403, body }, 'model refused'],
    ['404', { status: 404, body }, 'model refused'],
    ['429', { status: 429, body, headers: { 'retry-after': '60' } }, 'rate limited'],
    ['400', { status: 400, body }, 'refused'],
  ] as const)('%s', async (_what, fault, cause: Cause) => {
    const chat = new Chat(services, bot);
    services.model.fail('chat', { ...fault, times: 3 });
    await chat.say('hello');
    const [text] = await chat.answers(1);
    services.model.clearFaults();
    expect(text).toBe(apologyFor(cause));
    await chat.isIdle();
    expect(await chat.replies()).toHaveLength(1);
    expect(await completed(chat)).toMatchObject([
      { outcome: 'apologized', inputTokens: 0, outputTokens: 0, agentId: bot.agentIds[0] },
    ]);
    const [turn] = await services.harness.asOwner(
      'select failure from agents.turns where conversation_id = $1',
      [chat.conversationId],
    );
    expect(turn).toEqual({ failure: cause });
    const rows = await services.harness.asOwner(
      'select m::text from agents.messages m union all select t::text from agents.turns t union all select o::text from agents.outbox o',
    );
    expect(JSON.stringify(rows)).not.toContain('internal-host');
    expect(services.harness.logLines.join('\n')).not.toContain('sk-live-4242424242');
    await chat.say('and now?');
    expect((await chat.answers(2))[1]).toBe('re: and now?');
  });

  test('a server that hangs, cuts connections or sends the key elsewhere', async () => {
    const hasty = await createBot(services, services.acme, { answerDeadlineSeconds: 10 });
    const hanging = new Chat(services, hasty);
    const [cut, redirected] = [new Chat(services, bot), new Chat(services, bot)];
    services.model.replyWith(() => new Promise(() => {}));
    const nextRequest = services.model.nextRequest();
    await hanging.say('hello');
    await nextRequest;
    services.model.fail('chat', { cut: 'before', times: 3 });
    services.model.fail('chat', { status: 307, headers: { location: services.model.url }, times: 3 });
    await Promise.all([cut.say('hello'), redirected.say('hello')]);
    const answers = await Promise.all([hanging, cut, redirected].map((chat) => chat.answers(1)));
    const causes: Cause[] = ['timeout', 'unavailable', 'unavailable'];
    expect(answers.flat()).toEqual(causes.map((cause) => apologyFor(cause)));
    expect(services.model.calls.filter(({ path }) => path === '/v1')).toEqual([]);
  });

  test.each([
    ...[
      '',
      '  \n ',
      '\0',
      ' \n\u200b ',
      '\ufeff\u2060\u200d',
      '\u00ad',
      '\u2800\u3164',
      '\ufe0f\u0301',
      '\u202e\u2066',
    ],
    '\u{e0041}\u{e007f}',
  ])('an answer without readable text is requested once more: %j', async (answer) => {
    const requestsBefore = services.model.requests.count;
    services.model.replyInTurn(answer, 'words');
    const chat = new Chat(services, bot);
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual(['words']);
    expect(services.model.requests.count).toBe(requestsBefore + 2);
    expect(services.model.requests.last?.messages.map(contentText)).toEqual(
      services.model.requests.all.at(-2)?.messages.map(contentText),
    );
    const reported = services.model.answered.all.slice(-2).map(({ usage }) => usage.prompt_tokens);
    const [counted] = await completed(chat);
    expect(counted?.inputTokens).toBe(reported[0]! + reported[1]!);
  });

  test('a second answer in which nothing can be read', async () => {
    services.model.replyWith(' \n\u200b ');
    const requestsBefore = services.model.requests.count;
    const chat = new Chat(services, bot);
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual([apologyFor('empty answer')]);
    expect(services.model.requests.count).toBe(requestsBefore + 2);
  });

  test('a second answer that is far too long', async () => {
    const callsBefore = services.model.calls.count;
    services.model.fail('chat', { status: 200, body: ' '.repeat(5_000_000), times: 2 });
    const chat = new Chat(services, bot);
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual([apologyFor('unusable answer')]);
    expect(services.model.calls.count).toBe(callsBefore + 2);
  });

  test.each(['👍', '🏳️‍🌈', '…', '٣', 'ß', '\u200bok\u200b'])('but %j is an answer', async (answer) => {
    services.model.replyInTurn(answer);
    const chat = new Chat(services, bot);
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual([answer]);
  });

  test('one failure that passes is not seen', async () => {
    services.model.failNext({ status: 429, retryAfter: 0 });
    const chat = new Chat(services, bot);
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual(['re: hello']);
  });

  test('no key for the provider', async () => {
    const agentIds = [await createAgent(services, services.acme, { provider: 'anthropic', model: 'm' })];
    const chat = new Chat(services, await createBot(services, services.acme, { agentIds }));
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual([apologyFor('no key')]);
    expect(await completed(chat)).toMatchObject([
      { outcome: 'apologized', keySource: 'none', provider: 'anthropic' },
    ]);
  });

  test('a bot without an agent', async () => {
    const chat = new Chat(services, await createBot(services, services.acme, { agentIds: [] }));
    await chat.say('hello');
    expect(await chat.answers(1)).toEqual([apologyFor('no agent')]);
  });

  test('a message without text', async () => {
    const calls = services.model.requests.count;
    const chat = new Chat(services, bot);
    await chat.say('', { content: 'unsupported' });
    expect(await chat.answers(1)).toEqual([apologyFor('unsupported content')]);
    expect(services.model.requests.count).toBe(calls);
  });
});

describe('there is no answer', () => {
  test.each([
    ['a bot that is switched off', async () => createBot(services, services.acme, { enabled: false })],
    ['a bot that nobody knows', async () => ({ tenantId: bot.tenantId, botId: randomUUID(), agentIds: [] })],
    [
      'a bot that was deleted',
      async () => {
        const gone = await createBot(services, services.acme);
        const path = `/api/bots/${gone.tenantId}/${gone.botId}`;
        await services.tenancy.call('DELETE', path, { as: services.acme.admin });
        return gone;
      },
    ],
  ])('for %s, and the message is kept as ignored', async (_what, make) => {
    const calls = services.model.requests.count;
    const silent = await make();
    await services.harness.settled('agents', 'tenancy');
    const chat = new Chat(services, silent);
    await chat.say('hello');
    await services.harness.settled('agents', 'webhooks');
    await chat.isIdle();
    expect(await chat.replies()).toEqual([]);
    expect(await chat.written()).toMatchObject([{ status: 'ignored' }]);
    expect(await completed(chat)).toEqual([]);
    expect(services.model.requests.count).toBe(calls);
  });
});

describe('a command', () => {
  const command = (name: string, argument = ''): Partial<InboundMessage> => ({ command: { name, argument } });

  test.each([
    ['start', 'Hello! I am Support.'],
    ['help', '/new begins a new conversation'],
    ['new', 'I have forgotten'],
    ['stop', 'whenever you need me'],
    ['nonsense', '/new begins a new conversation'],
  ])('/%s is answered without the model', async (name, text) => {
    const calls = services.model.requests.count;
    const chat = new Chat(services, bot);
    await chat.say(`/${name}`, command(name));
    const [answer] = await chat.answers(1);
    expect(answer).toContain(text);
    expect(await completed(chat)).toMatchObject([{ outcome: 'command', agentId: null, inputTokens: 0 }]);
    expect(services.model.requests.count).toBe(calls);
  });

  test('is a question if it is unknown and followed by words', async () => {
    const chat = new Chat(services, bot);
    await chat.say('/ask why', command('ask', 'why'));
    expect(await chat.answers(1)).toEqual(['re: why']);
  });
});
