import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, numbered, printFigures } from '../rig/history.ts';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';

const timeoutMs = 280_000;
const shape = `'{"version": 99, "parts": [{"kind": "unknown"}], "text": {"runs": []}}'::jsonb`;
/** Columns that hold JSON of ours, whose shape a version may change. */
const columns = [
  ['agents.conversations', 'place'],
  ['agents.messages', 'sender'],
  ['agents.messages', 'command'],
  ['agents.messages', 'attachment'],
  ['agents.messages', 'delivery'],
  ['agents.turns', 'triage'],
  ['agents.turns', 'context'],
  ['agents.turns', 'deliveries'],
  ['agents.turns', 'tool_calls'],
  ['webhooks.replies', 'place'],
] as const;

let system: TestSystem;
let webhooks: Process;
let agents: Process;

beforeAll(async () => {
  system = await TestSystem.open();
  [agents, webhooks] = await Promise.all([system.startAgents(), system.startWebhooks()]);
}, 240_000);
afterAll(() => system?.close(), 60_000);

const isReady = ({ url }: Process) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function poison({ tenantId }: ConnectedBot): Promise<number> {
  let count = 0;
  for (const [table, column] of columns) {
    const rows = await system.harness.asOwner(
      `update ${table} set ${column} = ${shape} where tenant_id = $1 returning 1`,
      [tenantId],
    );
    count += rows.length;
  }
  return count;
}

test(
  'F-73: JSON of an unknown shape, in every such column of one tenant: others are answered as usual, and unanswerable messages are shown with the cause',
  async () => {
    const people = await system.createPeople();
    const [faulty, healthy] = [await system.createBot(agents, { people }), await system.createBot(agents)];
    const say = (bot: ConnectedBot, chat: number, number: number) =>
      system.say(webhooks, bot, { chat, number });
    for (const chat of [1, 2, 3]) await say(faulty, chat, 1);
    await system.answered();
    // Some are being answered and others wait when their rows are changed.
    const requestsBefore = system.model.requests.count;
    system.model.hang();
    for (const number of [2, 3]) for (const chat of [1, 2, 3]) await say(faulty, chat, number);
    await system.model.requests.waitFor(() => system.model.requests.count >= requestsBefore + 3, {
      timeoutMs: 300_000,
    });
    const poisoned = await poison(faulty);
    system.model.release();
    for (const chat of [1, 2, 3, 4]) await say(faulty, chat, 4);
    for (let number = 1; number <= 5; number += 1)
      for (const chat of [11, 12, 13, 14]) await say(healthy, chat, number);
    const isAnswered = () => [11, 12, 13, 14].every((chat) => !system.history.isWaiting(String(chat), 5));
    await eventually('the healthy tenant is answered', isAnswered, { timeoutMs: 300_000 });
    // An unreadable event is parked with the reason and delays nothing else.
    const waiting = () =>
      system.harness.asOwner(
        `select from agents.messages where tenant_id = $1 and direction = 'in' and status = 'queued'`,
        [faulty.tenantId],
      );
    await eventually('no message waits', async () => (await waiting()).length === 0, { timeoutMs: 120_000 });
    const ready = await Promise.all([webhooks, agents].map(isReady));
    const verdict = system.history.verdict();
    const unanswered = [1, 2, 3, 4].flatMap((chat) =>
      [2, 3, 4]
        .filter((number) => system.history.isWaiting(String(chat), number))
        .map((number) => numbered(String(chat), number)),
    );
    const { body: deadLetters } = await agents.call('GET', '/api/interactions/dead-letters', {
      as: people.admin,
    });
    printFigures('F-73', {
      ...verdict,
      'rows poisoned': poisoned,
      'messages of the faulty tenant without answer': unanswered.length,
      'of them shown as dead letters': deadLetters.length,
    });
    expect(ready).toEqual([true, true]);
    expect(verdict).toMatchObject({ ...faultless, lost: unanswered.length, strange: verdict.strange });
    // Their tenant sees the unanswered messages, and operators see the causes.
    expect(deadLetters.map(({ text }: { text: string }) => text).sort()).toEqual(unanswered.sort());
    for (const { messageId, reason } of deadLetters) {
      expect(reason).toContain('look for this messageId in the log');
      expect(agents.logLines.some((line) => line.includes(messageId) && line.includes('TypeError'))).toBe(
        true,
      );
    }
  },
  timeoutMs,
);
