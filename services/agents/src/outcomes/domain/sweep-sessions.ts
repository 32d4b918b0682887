import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import { firstIdAt } from '../../store/first-id.ts';
import type { Deps } from '../deps.ts';
import {
  type Decision,
  type DueSession,
  type FactsOfSession,
  insertSessions,
  listDueSessions,
  listFacts,
  listTenantsToSweep,
  listTurnsToSweep,
  lockSweep,
  type NewSession,
  type SweptTurn,
  saveDecisions,
  saveSweep,
} from '../store/session-outcomes.ts';
import { handoverReasonOf } from './handover-reason.ts';
import { day, decidedOutcomes, hour } from './session-outcomes.ts';

const everyMs = 60_000;
const minuteMs = 60_000;
/** Turns of a tenant that are read at a time, and sessions whose outcomes are decided. */
const [maxTurns, maxSessions] = [1000, 200];
/** Turns whose costs one request asks for. */
const maxPricedTurns = 500;

type SweepDeps = Pick<Deps, 'database' | 'log' | 'usage'>;

/**
 * Decides the outcomes of sessions at an age of an hour, and again at a day. Tenants take turns, a batch each, so that
 * none waits for the backlog of another one.
 */
export function createSessionSweep(deps: SweepDeps): Worker {
  return createPeriodic({
    name: 'outcomes of sessions',
    everyMs,
    log: deps.log,
    work: async (isStopped) => {
      for (let hasMore = true; hasMore; ) {
        hasMore = false;
        for (const tenantId of await tenantsToSweep(deps)) {
          if (isStopped()) return;
          const isCut = await sweepTenant(deps, tenantId).catch((error: unknown) => {
            deps.log.warn({ err: error, tenantId }, 'outcomes of sessions could not be decided');
            return false;
          });
          hasMore ||= isCut;
        }
      }
    },
  });
}

/** Turns are ordered by their identifiers. One that is an hour old was stored long before. */
const settledBefore = () => firstIdAt(Date.now() - hour * minuteMs);

const tenantsToSweep = ({ database }: SweepDeps): Promise<string[]> =>
  withPlatform(database, 'outcomes of sessions', (tx) => listTenantsToSweep(tx, settledBefore()));

/** Adds a batch of a tenant's sessions, and decides a batch of outcomes. Returns whether one of them was full. */
export async function sweepTenant(deps: SweepDeps, tenantId: string): Promise<boolean> {
  const added = await addSessions(deps, tenantId);
  const decided = await decideSessions(deps, tenantId);
  return added === maxTurns || decided === maxSessions;
}

async function addSessions({ database }: SweepDeps, tenantId: string): Promise<number> {
  return await withTenant(database, [tenantId], async (tx) => {
    const afterTurnId = await lockSweep(tx, tenantId);
    if (afterTurnId === undefined) return 0;
    const place = { tenantId, afterTurnId, beforeTurnId: settledBefore(), limit: maxTurns };
    const turns = await listTurnsToSweep(tx, place);
    const last = turns.at(-1);
    if (!last) return 0;
    await insertSessions(tx, tenantId, sessionsOf(tenantId, turns));
    await saveSweep(tx, tenantId, last.turnId);
    return turns.length;
  });
}

/** The sessions of these turns, each with the first turn of the agent. */
function sessionsOf(tenantId: string, turns: readonly SweptTurn[]): NewSession[] {
  const sessions = new Map<string, NewSession>();
  for (const turn of turns) {
    const { sessionId, agentId, outcome, account, platform } = turn;
    if (sessionId === null || agentId === null || outcome === 'command') continue;
    const key = `${sessionId} ${agentId}`;
    if (sessions.has(key)) continue;
    const personId =
      account === null ? null : personIdOfAccount(tenantId, { platform, platformUserId: account });
    sessions.set(key, { ...turn, sessionId, agentId, personId, beganAt: turn.createdAt });
  }
  return [...sessions.values()];
}

async function decideSessions(deps: SweepDeps, tenantId: string): Promise<number> {
  const { sessions, factsAt } = await withTenant(deps.database, [tenantId], async (tx) => {
    const due = await listDueSessions(tx, tenantId, maxSessions);
    const atHour = await listFacts(tx, tenantId, { sessions: due, minutes: hour });
    const atDay = await listFacts(tx, tenantId, { sessions: due, minutes: day });
    return {
      sessions: due,
      factsAt: new Map([[hour, bySession(atHour)] as const, [day, bySession(atDay)] as const]),
    };
  });
  if (sessions.length === 0) return 0;
  const used = [...factsAt.get(day)!.values()];
  const costOf = await costsOf(
    deps,
    tenantId,
    used.flatMap(({ turnIds }) => turnIds),
  );
  const decisions = sessions.flatMap((session) => {
    const facts = (minutes: number) => factsAt.get(minutes)!.get(keyOf(session));
    const atDay = facts(day);
    if (!atDay || !facts(hour)) return [];
    return [decide(session, { atDay, atHour: facts(hour)!, costOf })];
  });
  await withTenant(deps.database, [tenantId], (tx) => saveDecisions(tx, tenantId, decisions));
  return sessions.length;
}

const keyOf = ({ sessionId, agentId }: Pick<DueSession, 'sessionId' | 'agentId'>) =>
  `${sessionId} ${agentId}`;
const bySession = (facts: readonly FactsOfSession[]) => new Map(facts.map((row) => [keyOf(row), row]));

interface Evidence {
  atHour: FactsOfSession;
  atDay: FactsOfSession;
  costOf: ReadonlyMap<string, number>;
}

function decide(session: DueSession, { atHour, atDay, costOf }: Evidence): Decision {
  const { sessionId, agentId, beganAt, dueAt } = session;
  const ageMinutes = (Date.now() - beganAt.getTime()) / minuteMs;
  const outcomes = decidedOutcomes(ageMinutes, (minutes) => (minutes === day ? atDay : atHour));
  const isFinal = ageMinutes >= day;
  const costs = atDay.turnIds.flatMap((turnId) => costOf.get(turnId) ?? []);
  return {
    sessionId,
    agentId,
    outcomes,
    handoverReason: atHour.handover === null ? null : handoverReasonOf(atHour.handover),
    turns: atDay.turnIds.length,
    durationMs: atDay.durationMs,
    costMicroUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    isFinal,
    dueAt,
    nextDueAt: isFinal ? null : new Date(beganAt.getTime() + (ageMinutes < hour ? hour : day) * minuteMs),
  };
}

/** The costs of turns that have a price. */
async function costsOf(
  { usage }: SweepDeps,
  tenantId: string,
  turnIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const costs = new Map<string, number>();
  for (let first = 0; first < turnIds.length; first += maxPricedTurns) {
    const batch = turnIds.slice(first, first + maxPricedTurns);
    for (const { turnId, costMicroUsd } of await usage.costsOf(tenantId, batch))
      if (costMicroUsd !== null) costs.set(turnId, costMicroUsd);
  }
  return costs;
}
