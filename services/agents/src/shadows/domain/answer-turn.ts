import { withTenant } from '@botyard/shared/db/database';
import { LeasedQueue, LeaseLost, QueueStopped } from '@botyard/shared/work/leased-queue/leased-queue';
import { answerApart } from '../../answering/domain/answer-apart.ts';
import { agentInVersion, getWholeVersion } from '../../definitions/domain/whole-version.ts';
import { type AgentAtWork, getAgentAtWork } from '../../definitions/store/agent-equipment.ts';
import type { Cause } from '../../models/domain/cause.ts';
import type { TurnUse } from '../../recordings/domain/turn-recording.ts';
import { getRecording } from '../../recordings/store/recordings.ts';
import { lockRelease } from '../../releases/store/releases.ts';
import type { Deps } from '../deps.ts';
import {
  type AskedTurn,
  listTurnsOfSession,
  removeShadow,
  type ShadowRow,
  shadowQueue,
  updateShadow,
} from '../store/shadow-answers.ts';
import { compareAnswers } from './compare-answers.ts';
import { LiveCalls } from './live-calls.ts';

const maxAttempts = 3;
const retryMs = 5000;
/** The turns of a session that the model is shown. */
const maxTurns = 20;
const maxTextUnits = 8000;

/** The tenant has nothing left for it, or no key: the turn stays without a shadow. */
const withoutUse: ReadonlySet<Cause> = new Set<Cause>(['quota exhausted', 'allowance used up', 'no key']);
const passing: ReadonlySet<Cause> = new Set<Cause>(['rate limited', 'timeout', 'unavailable']);

/** The worker of shadows: one answer of a tenant at a time, so that chats keep the keys. */
export function createShadowWorker(deps: Deps): LeasedQueue<ShadowRow> {
  const queue: LeasedQueue<ShadowRow> = new LeasedQueue(deps, {
    name: 'shadow answers',
    table: shadowQueue,
    slots: 1,
    share: 1,
    run: async (row, { signal }) => {
      const waitMs = await answerTurn(deps, row, signal);
      if (waitMs !== undefined) queue.wake(waitMs);
    },
  });
  return queue;
}

/** Returns the milliseconds until the next attempt, if there is one. */
async function answerTurn(deps: Deps, row: ShadowRow, signal: AbortSignal): Promise<number | undefined> {
  try {
    const shadowed = row.attempts > maxAttempts ? undefined : await readTurn(deps, row);
    if (!shadowed) return void (await drop(deps, row));
    return await answerAndCompare(deps, row, shadowed, signal);
  } catch (error) {
    if (error instanceof LeaseLost || signal.reason instanceof LeaseLost) return undefined;
    if (!(signal.reason instanceof QueueStopped))
      deps.log.warn({ err: error, turnId: row.turnId }, 'a shadow answer was interrupted');
    return await giveBack(deps, row, signal.reason instanceof QueueStopped ? 0 : retryMs);
  }
}

interface ShadowedTurn {
  agent: AgentAtWork;
  turn: AskedTurn;
  earlier: readonly AskedTurn[];
  used: TurnUse;
}

const nothingUsed: TurnUse = { calls: [], passages: [], question: null };

/** The turn with the candidate; `undefined` if the release has ended, or something was erased. */
async function readTurn(deps: Deps, row: ShadowRow): Promise<ShadowedTurn | undefined> {
  const { tenantId } = row;
  const stored = await withTenant(deps.database, [tenantId], async (tx) => {
    const release = await lockRelease(tx, row, 'key share');
    if (release?.state !== 'running') return undefined;
    const key = { tenantId, id: release.agentId };
    const [live, whole, turns, recording] = [
      await getAgentAtWork(tx, tenantId, release.agentId),
      await getWholeVersion(tx, key, release.version),
      await listTurnsOfSession(tx, row, maxTurns),
      await getRecording(tx, row),
    ];
    return live && whole && { agent: agentInVersion(live, whole), turns, recording };
  });
  const [turn, ...earlier] = stored?.turns ?? [];
  if (!stored || !turn?.question) return undefined;
  const { agent, recording } = stored;
  const used = recording ? await deps.recordingKeys.open(recording, recording.sealedKey) : nothingUsed;
  return { agent, turn, earlier, used };
}

async function answerAndCompare(
  deps: Deps,
  row: ShadowRow,
  { agent, turn, earlier, used }: ShadowedTurn,
  signal: AbortSignal,
): Promise<number | undefined> {
  const tools = new LiveCalls(used.calls);
  const messages = [
    ...earlier.toReversed().flatMap(messagesOf),
    { role: 'user' as const, text: used.question ?? turn.question ?? '' },
  ];
  const standIn = tools.answer;
  const { conversed } = await answerApart(deps, { agent, messages, kind: 'shadow', standIn, signal });
  if ('failure' in conversed) {
    if (withoutUse.has(conversed.failure)) return void (await drop(deps, row));
    if (passing.has(conversed.failure) && row.attempts < maxAttempts)
      return await giveBack(deps, row, conversed.freeInMs ?? retryMs);
  }
  const live = { isAnswered: turn.outcome === 'answered', text: turn.answer ?? '', calls: used.calls };
  const change = {
    ...compareAnswers(live, conversed, tools),
    text: 'text' in conversed ? conversed.text.slice(0, maxTextUnits).toWellFormed() : null,
    calls: tools.calls,
    readyAt: null,
    leaseUntil: null,
  };
  await withTenant(deps.database, [row.tenantId], (tx) => updateShadow(tx, row, change));
  return undefined;
}

const messagesOf = ({ question, answer }: AskedTurn) => [
  ...(question ? [{ role: 'user' as const, text: question }] : []),
  ...(answer ? [{ role: 'assistant' as const, text: answer }] : []),
];

const drop = (deps: Deps, row: ShadowRow): Promise<boolean> =>
  withTenant(deps.database, [row.tenantId], (tx) => removeShadow(tx, row));

async function giveBack(deps: Deps, row: ShadowRow, waitMs: number): Promise<number> {
  const change = { readyAt: new Date(Date.now() + waitMs), leaseUntil: null };
  await withTenant(deps.database, [row.tenantId], (tx) => updateShadow(tx, row, change));
  return waitMs;
}
