import { turnCompleted } from '@botyard/contracts/events/agents';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  call,
  forgetUse,
  newTurn,
  openUsageServices,
  startUsage,
  type Turn,
  type UsageServices,
  warnings,
} from '../usage-services.ts';

let services: UsageServices;
let twin: string;
let now = new Date();

beforeAll(async () => {
  const clock = { now: () => now };
  services = await openUsageServices({ clock });
  // An instance on another namespace is handed every event as well: each one is delivered twice, at the same time.
  twin = `${services.harness.namespace}_twin`;
  await startUsage(services.harness, { clock, namespace: twin });
  await Promise.all([
    services.harness.busAs('agents'),
    services.harness.busAs('agents', { namespace: twin }),
  ]);
});
afterAll(() => services?.harness.close());

const border = Date.parse('2026-12-01T00:00:00.000Z');
const botIds = [uuidv7(), uuidv7()];
const models = [
  { provider: 'openai', model: 'gpt-4o' },
  { provider: 'private-llm', model: 'sandbox' },
  { provider: null, model: null },
] as const;

const someTurn = fc.record({
  /** Around the midnight between two months, and exactly on it. */
  offsetMs: fc.oneof(fc.constantFrom(-1, 0), fc.integer({ min: -100_000_000, max: 100_000_000 })),
  bot: fc.constantFrom(...botIds),
  kind: fc.constantFrom(...models),
  keySource: fc.constantFrom('tenant', 'platform', 'none'),
  outcome: fc.constantFrom('answered', 'answered', 'apologized'),
  inputTokens: fc.integer({ min: 0, max: 5000 }),
  outputTokens: fc.integer({ min: 0, max: 5000 }),
});
type Drawn = { turn: Turn; eventId: string };

/** Published to both, each in an order of its own, some of it twice under another event's name. */
async function deliver(drawn: readonly Drawn[], seed: number): Promise<void> {
  const { harness } = services;
  const shuffled = drawn.toSorted((left, right) => hash(left.eventId, seed) - hash(right.eventId, seed));
  const again = shuffled.slice(0, seed % 5).map(({ turn }) => ({ turn, eventId: uuidv7() }));
  const send = async (list: readonly Drawn[], namespace: string) => {
    for (const { turn, eventId } of list) await harness.publish(turnCompleted, turn, { eventId, namespace });
  };
  await Promise.all([send([...drawn, ...again], harness.namespace), send([...shuffled, ...again], twin)]);
  await Promise.all([
    harness.settled('usage', 'agents'),
    harness.settled('usage', 'agents', { namespace: twin }),
  ]);
}

const hash = (text: string, seed: number): number =>
  [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0) + seed) % 1_000_003, 7);

/** The usage that the providers were told to report, added up independently. */
function expected(turns: readonly Turn[]) {
  const used = turns.filter(
    (turn) => turn.outcome === 'answered' || turn.inputTokens + turn.outputTokens + turn.toolCalls > 0,
  );
  const priced = used.filter(({ model }) => model === 'gpt-4o');
  const cost = priced.map(({ inputTokens, outputTokens }) =>
    Math.floor((inputTokens * 25 + outputTokens * 100 + 5) / 10),
  );
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return {
    messages: used.filter(({ outcome }) => outcome === 'answered').length,
    inputTokens: sum(used.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(used.map(({ outputTokens }) => outputTokens)),
    toolCalls: sum(used.map(({ toolCalls }) => toolCalls)),
    costMicroUsd: priced.length === 0 ? null : sum(cost),
    unpricedTurns: used.length - priced.length,
  };
}

async function readAll(at: number) {
  now = new Date(at);
  const get = async (path: string) => (await call(services, services.acme, ['GET', path])).body;
  const [quota, usage] = [await get('/quota'), await get('')];
  return { quota: quota.used, usage: usage.counters };
}

test('any turns in any order, in any batches, twice and on two instances: counters, log, quota and warnings are the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(someTurn, { minLength: 1, maxLength: 40 }),
      fc.nat(1000),
      async (drawn, seed) => {
        await forgetUse(services.harness);
        now = new Date(border - 50_000_000);
        const body = { limits: { messages: 10, outputTokens: 40_000, costMicroUsd: 300_000 } };
        await call(services, services.acme, ['POST', '/quota/initialize'], body);
        const turns = drawn.map(({ offsetMs, bot, kind, ...rest }) => ({
          eventId: uuidv7(),
          turn: newTurn(services.acme.tenantId, {
            ...rest,
            ...kind,
            botId: bot,
            completedAt: new Date(border + offsetMs).toISOString(),
          } as Partial<Turn>),
        }));
        await deliver(turns, seed);

        const all = turns.map(({ turn }) => turn);
        const [before, after] = [
          all.filter(({ completedAt }) => Date.parse(completedAt) < border),
          all.filter(({ completedAt }) => Date.parse(completedAt) >= border),
        ];
        expect(await readAll(border - 1)).toEqual({ quota: expected(before), usage: expected(before) });
        expect(await readAll(border)).toEqual({ quota: expected(after), usage: expected(after) });
        const logged = await services.harness.asOwner<{ turn_id: string }>(
          'select turn_id from usage.log_entries',
        );
        const using = all.filter(
          (turn) =>
            expected([turn]).messages +
              expected([turn]).inputTokens +
              expected([turn]).outputTokens +
              turn.toolCalls >
            0,
        );
        expect(logged.map(({ turn_id }) => turn_id).sort()).toEqual(using.map(({ turnId }) => turnId).sort());
        expect(await warnedLevels()).toEqual(
          [...levels('2026-11-01', before), ...levels('2026-12-01', after)].sort(),
        );
        expect(await services.harness.asOwner('select from usage.dead_letters')).toEqual([]);
      },
    ),
    { numRuns: 12, endOnFailure: true },
  );
});

async function warnedLevels(): Promise<string[]> {
  const sentWarnings = await warnings(services);
  return sentWarnings
    .map(({ periodStart, limit, level }) => `${periodStart.slice(0, 10)} ${limit} ${level}`)
    .sort();
}

function levels(month: string, turns: readonly Turn[]): string[] {
  const used = expected(turns);
  const limits = { messages: 10, outputTokens: 40_000, costMicroUsd: 300_000 } as const;
  return Object.entries(limits).flatMap(([name, most]) =>
    [80, 100]
      .filter((level) => (used[name as keyof typeof limits] ?? 0) * 100 >= most * level)
      .map((level) => `${month} ${name} ${level}`),
  );
}
