import { contentText, type ModelReply, type ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
afterAll(() => services?.close());

const everythingIn = ({ messages }: ModelRequest): string =>
  messages
    .slice(1)
    .map((message) => contentText(message))
    .join('\n');

const filtered: ModelReply = {
  status: 400,
  body: { error: { message: 'Content Exists Risk', code: 'invalid_request_error' } },
};
const tooLong: ModelReply = {
  status: 400,
  body: {
    error: {
      message: "This model's maximum context length is 8192 tokens.",
      code: 'context_length_exceeded',
    },
  },
};

/** A model whose provider refuses every request that contains the word. */
const refuses = (word: string, refusal: ModelReply) => (request: ModelRequest) =>
  everythingIn(request).includes(word) ? refusal : `re: ${question(request)}`;

async function traceOf(chat: Chat, index = 0) {
  const [row] = await services.harness.asOwner<{ chat_id: string }>(
    'select chat_id from agents.conversations where conversation_id = $1',
    [chat.conversationId],
  );
  const as = services.acme.admin;
  const { body } = await services.agents.call('GET', `/api/context-traces?chatId=${row!.chat_id}`, { as });
  return (await services.agents.call('GET', `/api/context-traces/${body[index].traceId}`, { as })).body;
}

describe.each([
  ['content', filtered, 'content refused', 'Content Exists Risk'],
  ['length', tooLong, 'too long', "This model's maximum context length is 8192 tokens."],
] as const)('a provider that refuses the %s of earlier messages', (_, refusal, cause, reason) => {
  test('is asked with the question alone, and the earlier messages stay out from then on', async () => {
    services.model.replyWith('fine');
    const chat = new Chat(services, bot);
    await chat.say('the forbidden word');
    await chat.answers(1);
    services.model.replyWith(refuses('forbidden', refusal));
    await chat.say('what is the time?');
    expect((await chat.answers(2))[1]).toBe('re: what is the time?');
    expect((await traceOf(chat)).answer).toMatchObject({ leavesOut: 'context', refusal: reason });
    const before = services.model.requests.count;
    await chat.say('and the date?');
    await chat.answers(3);
    expect(services.model.requests.count).toBe(before + 1);
    const seen = everythingIn(services.model.requests.last!);
    expect(seen).not.toContain('forbidden');
    expect(seen).toContain('what is the time?');
    expect((await traceOf(chat)).answer).toMatchObject({ leavesOut: 'nothing' });
  });

  test('refuses the question alone too: the person is told, and the next message is answered', async () => {
    services.model.replyWith(refuses('forbidden', refusal));
    const chat = new Chat(services, bot);
    await chat.say('hello');
    await chat.say('the forbidden word');
    expect((await chat.answers(2))[1]).toBe(apologyFor(cause));
    expect((await traceOf(chat)).answer).toMatchObject({ leavesOut: 'question', refusal: reason });
    const before = services.model.requests.count;
    await chat.say('and now?');
    expect((await chat.answers(3))[2]).toMatch(/and now\?$/);
    expect(services.model.requests.count).toBe(before + 1);
    expect(everythingIn(services.model.requests.last!)).toContain('hello');
  });
});

test('a window that is too small for the question gets a shorter one, so that the person is answered', async () => {
  services.model.replyWith((request) => (everythingIn(request).length > 3000 ? tooLong : 'fine'));
  const chat = new Chat(services, bot);
  await chat.say('字'.repeat(3500));
  expect(await chat.answers(1)).toEqual(['fine']);
});

test('a refusal by content with status 403 is about the message, and not about the key', async () => {
  services.model.replyWith(() => ({
    status: 403,
    body: { code: 'x', error: 'Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO' },
  }));
  const chat = new Chat(services, bot);
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([apologyFor('content refused')]);
});

test('conversations of every script are answered by a model with a small window', async () => {
  const ofScript = [
    '请把这一段话总结一下。',
    'このテキストを要約して。',
    '이 글을 요약해 주세요. ',
    'कृपया सारांश दें। ',
    'Перескажите это. ',
  ];
  const windowTokens = 16_384;
  // Two tokens for each letter of a script that few models know, as old tokenizers count.
  services.model.replyWith((request) => {
    const text = request.messages.map((message) => contentText(message)).join('');
    const others = [...text].filter((letter) => letter > '\u024f').length;
    const tokens = others * 1.2 + (text.length - others) / 4 + Number(request.body.max_tokens);
    return tokens > windowTokens ? tooLong : 'fine';
  });
  for (const sentence of ofScript) {
    const chat = new Chat(services, bot);
    for (let index = 1; index <= 4; index += 1) {
      await chat.say(sentence.repeat(Math.ceil(2600 / sentence.length)));
      expect((await chat.answers(index))[index - 1]).toBe('fine');
    }
  }
});

test("a person's question is not repeated to a provider that refuses its form", async () => {
  services.model.replyWith(() => ({
    status: 400,
    body: { error: { message: 'the tenant has no quota here' } },
  }));
  const agentIds = [await createAgent(services, services.acme, { model: 'strict' })];
  const chat = new Chat(services, await createBot(services, services.acme, { agentIds }));
  const before = services.model.requests.count;
  await chat.say('hello');
  expect(await chat.answers(1)).toEqual([apologyFor('refused')]);
  expect(services.model.requests.count).toBe(before + 1);
  expect(apologyFor('refused')).toContain('not because of your message');
});
