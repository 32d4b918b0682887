import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const others = 10;
const poisonedChat = 500;
const poisonedNumber = 2;

let system: TestSystem;
let agents: Process;
let webhooks: Process;
let bot: ConnectedBot;

beforeAll(async () => {
  system = await TestSystem.open();
  const started = await Promise.all([
    // The pauses between tries are real ones, but for a tenth of their length.
    system.startAgents({ AGENTS_RETRY_BASE_MS: '100' }),
    system.startAgents({ AGENTS_RETRY_BASE_MS: '100' }),
    system.startWebhooks(),
  ]);
  [agents, , webhooks] = started;
  bot = await system.createBot(agents);
  // Storing an answer to this one message fails in every process.
  await system.harness.asOwner(`create function agents.test_poison() returns trigger language plpgsql as $$ begin
      if new.status = 'answered' and new.text like '%[${poisonedChat}#${poisonedNumber}]%' then raise exception 'poison'; end if;
      return new;
    end $$;
    create trigger test_poison before update on agents.messages for each row execute function agents.test_poison()`);
});
afterAll(() => system?.close());

/** Each says this, one after the other, and is waited for. Returns how long an answer took, the median of all. */
async function answerTimes(numbers: readonly number[]): Promise<number> {
  const tookMs: number[] = [];
  for (const number of numbers) {
    for (let chat = 1; chat <= others; chat++) {
      const beganAt = performance.now();
      await system.say(webhooks, bot, { chat, number });
      const isAnswered = () => !system.history.isWaiting(String(chat), number);
      await eventually(`${chat} is answered`, isAnswered);
      tookMs.push(performance.now() - beganAt);
    }
  }
  return Math.round(tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)]!);
}

const interactions = (method: string, path: string) =>
  agents.call(method, `/api/interactions${path}`, { as: system.people.admin });

test('O-08: a poisoned message is parked after its tries; its conversation then continues, and others never wait (P8)', async () => {
  // The first ones find everything cold.
  await answerTimes([1]);
  const usualMs = await answerTimes([2]);
  for (let number = 1; number <= 3; number++) await system.say(webhooks, bot, { chat: poisonedChat, number });
  const saidAt = performance.now();
  const besideMs = await answerTimes([3]);
  const [dead] = await eventually('the message is parked', async () => {
    const { body } = await interactions('GET', '/dead-letters');
    return body.length > 0 && body;
  });
  const parkedAfterMs = Math.round(performance.now() - saidAt);
  await eventually('the conversation goes on', () => system.history.verdict().lost === 1);
  const verdict = await system.verdict();
  printFigures('O-08', {
    ...verdict,
    parked: 1,
    tries: dead.tries,
    'parked after ms': parkedAfterMs,
    'others, usual ms': usualMs,
    'others, beside it ms': besideMs,
  });
  // A line in brackets is kept escaped, because such lines are the service's remarks.
  expect(dead).toMatchObject({ text: `\\[${poisonedChat}#${poisonedNumber}]`, tries: 6 });
  expect(verdict).toEqual({ accepted: 3 * (others + 1), ...faultless, lost: 1 });
});

test('O-09: replayed after the fix it is answered once, next in its conversation, and the order after it is kept', async () => {
  await system.harness.asOwner('drop function agents.test_poison cascade');
  const [dead] = (await interactions('GET', '/dead-letters')).body;
  const replays = await Promise.all(
    Array.from({ length: 5 }, () => interactions('POST', `/dead-letters/${dead.messageId}/replay`)),
  );
  for (let number = 4; number <= 8; number++) await system.say(webhooks, bot, { chat: poisonedChat, number });
  await system.answered();
  const texts = system.messenger
    .history(bot.botToken, poisonedChat)
    .filter(({ direction }) => direction === 'out')
    .map(({ text }) => Number(/#(\d+)\]/.exec(text)?.[1]));
  const verdict = await system.verdict();
  printFigures('O-09', { ...verdict, 'order in the chat': texts.join(' ') });
  expect(replays.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409]);
  // 3 was answered while 2 was dead: that is the one inversion, and the replay precedes all later messages.
  expect(texts).toEqual([1, 3, 2, 4, 5, 6, 7, 8]);
  expect(verdict).toEqual({ accepted: 3 * (others + 1) + 5, ...faultless, inverted: 1 });
  expect((await interactions('GET', '/dead-letters')).body).toEqual([]);
});
