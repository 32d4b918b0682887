import { setInterval as every } from 'node:timers/promises';
import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cause } from '../../../services/agents/src/models/domain/cause.ts';
import { apologyFor } from '../../../services/agents/test/in-english.ts';
import { printFigures } from '../rig/history.ts';
import { updateOf } from '../rig/load-generator.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const isFull = process.env.BOTYARD_FAULTS === 'full';
/** Messages of each tenant, one a second. */
const messages = isFull ? 40 : 12;
const platformKey = 'sk-platform-0123456789abcdef';
/** How the provider answers for models that tenants named. */
const refusals: Record<string, { status: number; retryAfter?: number; body?: unknown }> = {
  'not-for-this-key': { status: 403 },
  'refused-with-200': { status: 200, body: { error: { message: 'not for you', code: 403 } } },
  'no-such-model': { status: 404 },
  'unpaid-model': { status: 402, retryAfter: 120 },
  'limited-model': { status: 429, retryAfter: 120 },
};

let system: TestSystem;
let webhooks: Process;
let bots: ConnectedBot[];
let agents: Process;

beforeAll(async () => {
  system = await TestSystem.open(
    {},
    { keysEnv: ({ url }) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: platformKey }) },
  );
  system.model.replyWith(
    ({ model, messages: said }) => refusals[model] ?? `re: ${contentText(said.at(-1)!)}`,
  );
  [agents, webhooks] = await Promise.all([
    system.startAgents({ OPENAI_BASE_URL: system.model.url, MODEL_TIMEOUT_MS: '60000' }),
    system.startWebhooks(),
  ]);
  const [b, c] = await Promise.all([system.createPeople(), system.createPeople()]);
  const agent = { provider: 'openai', model: 'gpt-test' };
  bots = await Promise.all([b, c].map((people) => system.createBot(agents, { people, agent })));
});
afterAll(() => system?.close());

let chatsSoFar = 0;

/** Sends a message each second in one chat of each bot. Resolves with the answers of each chat. */
async function talk(to: readonly ConnectedBot[]): Promise<string[][]> {
  const chats = to.map((bot, index) => ({ bot, chat: chatsSoFar + index + 1 }));
  chatsSoFar += to.length;
  let number = 0;
  for await (const _ of every(1000)) {
    number += 1;
    for (const { bot, chat } of chats) {
      const update = updateOf(chat, chat * 100_000 + number, `message ${number}`);
      expect(await system.post(webhooks, bot, update)).toBe(200);
    }
    if (number === messages) break;
  }
  return await Promise.all(
    chats.map(({ bot, chat }) =>
      eventually(`chat ${chat} is answered`, () => {
        const sent = system.messenger
          .history(bot.botToken, chat)
          .filter(({ direction }) => direction === 'out');
        return sent.length >= messages && sent.map(({ text }) => text);
      }),
    ),
  );
}

test.each<[string, Cause]>([
  ['not-for-this-key', 'model refused'],
  ['refused-with-200', 'model refused'],
  ['no-such-model', 'model refused'],
  ['unpaid-model', 'rate limited'],
  ['limited-model', 'rate limited'],
])(
  `F-40: one tenant's agent with %s on the platform's key: of ${messages} messages of each of two others none is apologized for`,
  async (model, cause) => {
    const people = await system.createPeople();
    const wrong = await system.createBot(agents, { people, agent: { provider: 'openai', model } });
    const callsBefore = system.model.requests.filter((request) => request.model === model).length;
    const [ofWrong, ...ofOthers] = await talk([wrong, ...bots]);
    const apologies = ofOthers.flat().filter((text) => !text.startsWith('re: '));
    const calls = system.model.requests.filter((request) => request.model === model).length - callsBefore;
    printFigures('F-40', {
      model,
      answered: ofOthers.flat().length,
      apologies: apologies.length,
      'calls refused': calls,
    });
    const expected = Array.from({ length: messages }, (_none, index) => `re: message ${index + 1}`);
    expect(ofOthers).toEqual([expected, expected]);
    expect(ofWrong).toEqual(expected.map(() => apologyFor(cause)));
    // While the model rests, it isn't asked for.
    expect(calls).toBe(1);
  },
  60_000 + messages * 3000,
);
