import type { Bus } from '../bus/bus.ts';
import { publishCanary } from '../bus/bus-watch.ts';
import type { Database } from '../db/database.ts';
import { within } from '../work/within.ts';

/** A process's dependencies, each `ok` or a short reason. Ready when all are `ok`. */
export type Readiness = Readonly<Record<string, string>>;

const checkTimeoutMs = 2000;
const rememberedMs = 500;

/** Runs the checks at most twice a second, however many callers ask, and one run at a time while they fail. */
export function createReadiness(
  checks: Readonly<Record<string, () => Promise<void>>>,
): () => Promise<Readiness> {
  let last: { at: number; result: Promise<Readiness> } | undefined;
  return async () => {
    if (!last || performance.now() - last.at > rememberedMs)
      last = { at: performance.now(), result: runAll(checks) };
    const current = last;
    const result = await current.result;
    if (last === current && !isReady(result)) last = undefined;
    return result;
  };
}

async function runAll(checks: Readonly<Record<string, () => Promise<void>>>): Promise<Readiness> {
  const results = Object.entries(checks).map(
    async ([name, check]) => [name, await outcomeOf(check)] as const,
  );
  return Object.fromEntries(await Promise.all(results));
}

async function outcomeOf(check: () => Promise<void>): Promise<string> {
  const result = check().then(
    () => 'ok',
    () => 'unavailable',
  );
  return (await within(checkTimeoutMs, result)) ?? 'no answer in time';
}

export const databaseCheck = (database: Database) => () => database.ping();

export const busCheck = (bus: Bus) => () => publishCanary(bus);

export const isReady = (readiness: Readiness): boolean =>
  Object.values(readiness).every((state) => state === 'ok');
