import { trialEnded } from '@botyard/contracts/events/agents';
import { noBotId } from '@botyard/contracts/events/usage';
import type { ToolCallRecord } from '@botyard/contracts/http/context-traces';
import { type EventStream, type StreamClient, writeEvent } from '@botyard/contracts/http/event-stream';
import {
  type TrialEvent,
  type TrialEventName,
  type TrialTrace,
  type TryAgentBody,
  trialEvents,
} from '@botyard/contracts/http/trials';
import { withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { speaking } from '@botyard/words/words';
import { v7 as uuidv7 } from 'uuid';
import { converse } from '../../answering/domain/loop/converse.ts';
import type { Conversed, Question, Spent } from '../../answering/domain/loop/conversed.ts';
import { type QuestionOfMessages, questionOfMessages } from '../../answering/domain/question-of-messages.ts';
import { readDraft } from '../../definitions/domain/definitions.ts';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import { createReserve } from '../../models/domain/quota.ts';
import type { Deps } from '../deps.ts';
import { faultOf, statusOf } from './faults.ts';
import type { RunningTrial } from './running-trials.ts';

/** How much longer a reservation lasts than the trial may take. */
const holdLongerMs = 60_000;

interface Asked extends TryAgentBody {
  tenantId: string;
  agentId: string;
  /** The user who runs the trial. */
  userId: string;
}

/** A trial that may begin: its use is reserved. */
interface Trial extends QuestionOfMessages, Pick<Question, 'wanted' | 'reserve'> {
  trialId: string;
  agent: AgentAtWork;
  drafted: string[];
}

/**
 * Has an agent answer a conversation outside any chat, as defined or with a draft of some fields, and streams the
 * events. Only its use is stored. @throws HttpError before it begins: 400 and 404 as an update, 422 without a key
 * or quota, 503 with too many concurrent trials or while the provider limits the keys.
 */
export async function tryAgent(deps: Deps, asked: Asked): Promise<EventStream> {
  const running = deps.trials.begin(asked);
  try {
    const trial = await prepare(deps, asked);
    return {
      open: (client) => {
        void run(deps, trial, { running, client }).finally(() => {
          running.end();
          client.end();
        });
        return () => running.giveUp();
      },
    };
  } catch (error) {
    running.end();
    throw error;
  }
}

async function prepare(deps: Deps, { tenantId, agentId, messages, draft = {} }: Asked): Promise<Trial> {
  const agent = await readDraft(deps, { tenantId, id: agentId }, draft);
  const question = await questionOfMessages(deps, agent, messages);
  const trialId = uuidv7();
  const { provider, model } = agent;
  const wanted = { tenantId, provider, model, agentId };
  const reserve = createReserve(deps, {
    ...wanted,
    botId: noBotId,
    reservationId: trialId,
    estimate: question.budget.estimate,
    holdMs: deps.config.MODEL_TIMEOUT_MS + holdLongerMs,
  });
  await requireKeyAndQuota(deps, { wanted, reserve });
  const drafted = Object.keys(draft).filter((field) => draft[field as keyof typeof draft] !== undefined);
  return { ...question, trialId, agent, drafted, wanted, reserve };
}

/** The loop checks this again before each call. Here a failure can still be an ordinary HTTP error. */
async function requireKeyAndQuota(
  { keys }: Pick<Deps, 'keys'>,
  { wanted, reserve }: Pick<Trial, 'wanted' | 'reserve'>,
): Promise<void> {
  const { source, isLimited } = await keys.resolve(wanted);
  const cause = source === 'none' ? (isLimited ? 'rate limited' : 'no key') : await reserve(source);
  if (!cause) return;
  throw new HttpError(statusOf(cause), faultOf(cause));
}

/** Never throws: errors are sent as an event. */
async function run(
  deps: Deps,
  trial: Trial,
  { running, client }: { running: RunningTrial; client: StreamClient },
): Promise<void> {
  const begin = performance.now();
  const send = <Name extends TrialEventName>(event: Name, data: TrialEvent<Name>) =>
    client.send(writeEvent({ event, json: JSON.stringify(trialEvents[event].parse(data)) }));
  const { agent, wanted, reserve, equipment, messages, alone, budget } = trial;
  try {
    const conversed = await converse(deps, {
      wanted,
      reserve,
      equipment,
      messages,
      alone,
      budget,
      agentChangedAt: agent.updatedAt,
      scene: null,
      say: speaking(null),
      model: agent.model,
      settings: agent.modelSettings,
      watch: {
        onText: (text) => send('delta', { text }),
        onTool: (call) => send('tool', call),
      },
      onAbandoned: (_error, spent) => countUse(deps, trial, { ...spent, begin }),
      signal: AbortSignal.any([running.signal, AbortSignal.timeout(deps.config.MODEL_TIMEOUT_MS)]),
    });
    await countUse(deps, trial, { ...conversed, begin });
    const trace = traceOf(trial, conversed, begin);
    if ('text' in conversed) send('done', doneOf(conversed, trace));
    else send('error', { error: faultOf(conversed.failure), trace });
  } catch (error) {
    if (!running.signal.aborted) deps.log.warn({ err: error, agentId: agent.id }, 'a trial failed');
    send('error', { error: faultOfError(error, running.signal) });
  }
}

const doneOf = (
  { text, choices }: Extract<Conversed, { text: string }>,
  trace: TrialTrace,
): TrialEvent<'done'> => ({
  text,
  ...(choices === null ? {} : { choices: [...choices] }),
  trace,
});

/** The event for errors that stop the loop, other than the model's. */
function faultOfError(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'the trial was aborted';
  if (error instanceof HttpError && error.status === 503)
    return 'a service that the trial needs does not answer: try again';
  return 'something went wrong on our side';
}

/** Counts the use, however the trial ended. If that fails, the reservation is settled when it expires. */
async function countUse(
  { database, outbox, log }: Deps,
  { trialId, agent }: Trial,
  { key, usage, toolCalls, begin }: Pick<Spent, 'key' | 'usage' | 'toolCalls'> & { begin: number },
): Promise<void> {
  const { tenantId, id: agentId, provider, model } = agent;
  const used = {
    tenantId,
    trialId,
    agentId,
    provider,
    model,
    reservationId: trialId,
    keyId: key?.keyId ?? null,
    keySource: key?.source ?? 'none',
    ...usage,
    toolCalls: toolCalls.filter(hasRun).length,
    completedAt: new Date().toISOString(),
    durationMs: Math.round(performance.now() - begin),
  } as const;
  try {
    await withTenant(database, [tenantId], (tx) => outbox.emit(tx, trialEnded, used));
  } catch (error) {
    log.error({ err: error, ...used }, 'could not count the use of a trial');
  }
}

const hasRun = ({ outcome }: ToolCallRecord): boolean => outcome !== 'not run in a trial';

function traceOf({ agent, drafted, shown }: Trial, conversed: Conversed, begin: number): TrialTrace {
  const { key, keyAttempts, toolCalls, citations, usage, record } = conversed;
  return {
    agentId: agent.id,
    version: agent.version,
    drafted,
    provider: agent.provider,
    model: agent.model,
    key: { ...key, attempts: keyAttempts },
    context: { ...shown, citations },
    answer: record,
    toolCalls,
    ...usage,
    durationMs: Math.round(performance.now() - begin),
  };
}
