import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultless, numbered, tell } from '../rig/history.ts';
import { type Process, Town, type TownBot } from '../rig/town.ts';

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

let town: Town;
let webhooks: Process;
let agents: Process;

beforeAll(async () => {
  town = await Town.open();
  [agents, webhooks] = await Promise.all([town.startAgents(), town.startWebhooks()]);
}, 240_000);
afterAll(() => town?.close(), 60_000);

const isReady = ({ url }: Process) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function poison({ tenantId }: TownBot): Promise<number> {
  let count = 0;
  for (const [table, column] of columns) {
    const rows = await town.harness.asOwner(
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
    const people = await town.createPeople();
    const [sick, sound] = [await town.createBot(agents, { people }), await town.createBot(agents)];
    const say = (bot: TownBot, chat: number, number: number) => town.say(webhooks, bot, { chat, number });
    for (const chat of [1, 2, 3]) await say(sick, chat, 1);
    await town.answered();
    // Some are being answered and others wait when their rows are changed.
    const asked = town.model.requests.count;
    town.model.hang();
    for (const number of [2, 3]) for (const chat of [1, 2, 3]) await say(sick, chat, number);
    await town.model.requests.waitFor(() => town.model.requests.count >= asked + 3, { timeoutMs: 300_000 });
    const poisoned = await poison(sick);
    town.model.release();
    for (const chat of [1, 2, 3, 4]) await say(sick, chat, 4);
    for (let number = 1; number <= 5; number += 1)
      for (const chat of [11, 12, 13, 14]) await say(sound, chat, number);
    const isAnswered = () => [11, 12, 13, 14].every((chat) => !town.history.isWaiting(String(chat), 5));
    await eventually('the sound tenant is answered', isAnswered, { timeoutMs: 300_000 });
    // An unreadable event is parked with the reason and delays nothing else.
    const waiting = () =>
      town.harness.asOwner(
        `select from agents.messages where tenant_id = $1 and direction = 'in' and status = 'queued'`,
        [sick.tenantId],
      );
    await eventually('no message waits', async () => (await waiting()).length === 0, { timeoutMs: 120_000 });
    const ready = await Promise.all([webhooks, agents].map(isReady));
    const verdict = town.history.verdict();
    const unanswered = [1, 2, 3, 4].flatMap((chat) =>
      [2, 3, 4]
        .filter((number) => town.history.isWaiting(String(chat), number))
        .map((number) => numbered(String(chat), number)),
    );
    const { body: deadLetters } = await agents.call('GET', '/api/interactions/dead-letters', {
      as: people.admin,
    });
    tell('F-73', {
      ...verdict,
      'rows poisoned': poisoned,
      'messages of the sick tenant without answer': unanswered.length,
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
