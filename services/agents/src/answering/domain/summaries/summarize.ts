import { summaryMade } from '@botyard/contracts/events/agents';
import { withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { AgentDefinitionRow } from '../../../definitions/store/agent-definitions.ts';
import { tokensOf } from '../../../models/clients/tokens.ts';
import { askModel } from '../../../models/domain/ask-model.ts';
import { KeyTrail } from '../../../models/domain/key-trail.ts';
import { createReserve } from '../../../models/domain/quota.ts';
import type { Deps } from '../../deps.ts';
import {
  claimSummary,
  listFallen,
  pauseSummary,
  type SummaryState,
  saveSummary,
} from '../../store/summaries.ts';
import { maxUnitsOfSummary, summaryInstructions, summaryQuestion } from './summary-question.ts';

/** A conversation with messages outside the context window: all messages up to `until`. */
export interface SummaryWork {
  tenantId: string;
  conversationId: string;
  botId: string;
  agent: AgentDefinitionRow;
  until: string;
}

/** The least that a summary covers: so many messages, or so much text. */
export const fewestMessages = 10;
export const fewestUnits = 12_000;
const maxMessages = 200;
const deadlineMs = 60_000;
const leaseMs = deadlineMs + 30_000;
/** The pause after a failure, because no summary is worth frequent retries. */
const pauseMs = 10 * 60_000;
const tokensOfFrame = 64;
const maxOutputTokens = 1024;

/**
 * Has the agent's model summarize the messages that left the context window, together with the earlier notes, and saves
 * the result. The use is reserved in the quota and counted. The result is discarded if the conversation was restarted
 * meanwhile. A failure never affects an answer.
 */
export async function summarize(deps: Deps, work: SummaryWork, signal: AbortSignal): Promise<void> {
  const inTenant = <Result>(run: Parameters<typeof withTenant<Result>>[2]) =>
    withTenant(deps.database, [work.tenantId], run);
  const begun = await inTenant(async (tx) => {
    const state = await claimSummary(tx, work, leaseMs);
    return state && { state, fallen: await listFallen(tx, work, { ...state, ...work, limit: maxMessages }) };
  });
  if (!begun) return;
  const { state, fallen } = begun;
  const units = fallen.reduce((sum, { text }) => sum + text.length, 0);
  if (fallen.length < fewestMessages && units < fewestUnits)
    return await inTenant((tx) => pauseSummary(tx, work, 0));
  const { question, included } = summaryQuestion(state.text, fallen);
  const isKept = await askFor(
    deps,
    work,
    { state, question, until: included.at(-1)!.messageId },
    signal,
  ).catch((error: unknown) => {
    deps.log.warn({ err: error, conversationId: work.conversationId }, 'a summary failed');
    return false;
  });
  if (!isKept) await inTenant((tx) => pauseSummary(tx, work, signal.aborted ? 0 : pauseMs));
}

async function askFor(
  deps: Deps,
  { tenantId, conversationId, botId, agent }: SummaryWork,
  { state, question, until }: { state: SummaryState; question: string; until: string },
  signal: AbortSignal,
): Promise<boolean> {
  const [summaryId, startedAt] = [uuidv7(), performance.now()];
  const { provider, model } = agent;
  const common = { tenantId, botId, agentId: agent.id, provider };
  const outcome = await askModel(deps, {
    wanted: { ...common, model },
    reserve: createReserve(deps, {
      ...common,
      model,
      reservationId: summaryId,
      estimate: {
        inputTokens: tokensOf(summaryInstructions + question) + tokensOfFrame,
        outputTokens: maxOutputTokens,
      },
      holdMs: leaseMs,
    }),
    trail: new KeyTrail(),
    question: {
      model,
      instructions: summaryInstructions,
      messages: [{ role: 'user', content: question }],
      tools: [],
      mustAnswer: true,
      maxOutputTokens,
      agentChangedAt: agent.updatedAt,
      signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
    },
  });
  const { text, usage } = 'failure' in outcome ? { text: '', usage: outcome.unheard } : outcome.answer;
  if (!usage) return false;
  const { keyId, source: keySource } = outcome.key;
  return await withTenant(deps.database, [tenantId], async (tx) => {
    // Counts the use even if the summary is too late to be saved.
    await deps.outbox.emit(tx, summaryMade, {
      ...common,
      ...usage,
      conversationId,
      model,
      summaryId,
      reservationId: summaryId,
      keyId,
      keySource,
      completedAt: new Date().toISOString(),
      durationMs: Math.round(performance.now() - startedAt),
    });
    const kept = text.slice(0, maxUnitsOfSummary).toWellFormed();
    if (kept.trim() === '') return false;
    return await saveSummary(tx, { tenantId, conversationId }, state, { text: kept, until });
  });
}
