import { trialEnded } from '@botyard/contracts/events/agents';
import { noBotId } from '@botyard/contracts/events/usage';
import { withTenant } from '@botyard/shared/db/database';
import { speaking } from '@botyard/words/words';
import { v7 as uuidv7 } from 'uuid';
import type { AgentAtWork } from '../../definitions/store/agent-equipment.ts';
import { createReserve, type Reserve } from '../../models/domain/quota.ts';
import type { Deps } from '../deps.ts';
import type { ToolStandIn } from './loop/call-tools.ts';
import { converse } from './loop/converse.ts';
import type { Conversed, Spent } from './loop/conversed.ts';
import { questionOfMessages } from './question-of-messages.ts';

/** How much longer a reservation lasts than the answer may take. */
const holdLongerMs = 60_000;

interface AskedApart {
  agent: AgentAtWork;
  /** Oldest first; the last one is the question. */
  messages: Parameters<typeof questionOfMessages>[2];
  /** The kind of usage. */
  kind: 'evaluation' | 'shadow';
  /** The run of tests that it belongs to. */
  runId?: string;
  /** Answers every call of a tool that may not run. */
  standIn: ToolStandIn;
  /** Limits the keys that may be used. */
  narrow?: (reserve: Reserve) => Reserve;
  signal: AbortSignal;
}

export interface AnsweredApart {
  turnId: string;
  conversed: Conversed;
  durationMs: number;
}

/**
 * Has an agent answer outside of any chat, by the loop of chats. Nothing is sent. The usage is reserved and counted as
 * its own kind. @throws HttpError 503; the signal's reason.
 */
export async function answerApart(
  deps: Deps,
  { agent, messages, kind, runId, standIn, narrow = (reserve) => reserve, signal }: AskedApart,
): Promise<AnsweredApart> {
  const { tenantId, provider, model } = agent;
  const turnId = uuidv7();
  const question = await questionOfMessages(deps, agent, messages);
  const wanted = { tenantId, provider, model, agentId: agent.id };
  const reserve = createReserve(deps, {
    ...wanted,
    botId: noBotId,
    reservationId: turnId,
    estimate: question.budget.estimate,
    holdMs: deps.config.MODEL_TIMEOUT_MS + holdLongerMs,
  });
  const begin = performance.now();
  const durationMs = () => Math.round(performance.now() - begin);
  const count = (spent: Spent) =>
    countUse(deps, agent, { turnId, kind, runId, spent, durationMs: durationMs() });
  const conversed = await converse(deps, {
    wanted,
    reserve: narrow(reserve),
    equipment: question.equipment,
    messages: question.messages,
    alone: question.alone,
    budget: question.budget,
    agentChangedAt: agent.updatedAt,
    scene: null,
    standIn,
    say: speaking(null),
    model,
    settings: agent.modelSettings,
    onAbandoned: (_error, spent) => count(spent),
    signal: AbortSignal.any([signal, AbortSignal.timeout(deps.config.MODEL_TIMEOUT_MS)]),
  });
  await count(conversed);
  return { turnId, conversed, durationMs: durationMs() };
}

interface CountedUse extends Pick<AskedApart, 'kind'> {
  runId: string | undefined;
  turnId: string;
  spent: Spent;
  durationMs: number;
}

/** Counts the use of a model outside of any chat, which `turnId` has reserved. */
export async function countUse(
  { database, outbox }: Pick<Deps, 'database' | 'outbox'>,
  { tenantId, id: agentId, provider, model }: Pick<AgentAtWork, 'tenantId' | 'id' | 'provider' | 'model'>,
  { turnId, kind, runId, spent: { key, usage, toolCalls }, durationMs }: CountedUse,
): Promise<void> {
  const used = {
    tenantId,
    trialId: turnId,
    agentId,
    provider,
    model,
    reservationId: turnId,
    kind,
    runId,
    keyId: key?.keyId ?? null,
    keySource: key?.source ?? 'none',
    ...usage,
    toolCalls: toolCalls.length,
    completedAt: new Date().toISOString(),
    durationMs,
  } as const;
  await withTenant(database, [tenantId], (tx) => outbox.emit(tx, trialEnded, used));
}
