import type { ContextTrace, TraceCost, TraceSummary } from '@botyard/contracts/http/context-traces';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { HttpError, notFound } from '@botyard/shared/http/errors';
import type { MessageRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../deps.ts';
import { getTurn, listOrigins, type TracedTurn, type TurnRow } from '../store/traces.ts';

/** A reply in the form for lists. */
export function toSummary({ turn, chat, reply }: TracedTurn): TraceSummary {
  return {
    traceId: turn.turnId,
    ...chat,
    agentId: turn.agentId,
    agentVersion: turn.agentVersion,
    sessionId: turn.sessionId,
    outcome: turn.outcome,
    failure: turn.failure,
    ending: turn.modelRecord?.ending ?? null,
    replyId: turn.replyId,
    state: stateOf(reply),
    inputTokens: turn.inputTokens,
    outputTokens: turn.outputTokens,
    toolCalls: turn.toolCalls.length,
    durationMs: turn.durationMs,
    createdAt: turn.createdAt.toISOString(),
  };
}

/** Everything that led to one reply (REQ-CHAT-17), with its cost from the usage service. @throws HttpError 404. */
export async function getTrace(deps: Deps, tenantId: string, traceId: string): Promise<ContextTrace> {
  const { traced, origins } = await withTenant(deps.database, [tenantId], async (tx) => {
    const traced = found(await getTurn(tx, tenantId, traceId), 'trace');
    const messageIds = traced.turn.deliveries.map(({ messageId }) => messageId);
    return { traced, origins: await listOrigins(tx, tenantId, messageIds) };
  });
  const { turn, reply } = traced;
  return {
    ...toSummary(traced),
    deliveries: deliveriesOf(turn, origins),
    triage: turn.triage,
    provider: turn.provider,
    model: turn.model,
    key: { keyId: turn.keyId, source: turn.keySource as 'none', attempts: turn.keyAttempts },
    context: turn.context,
    answer: turn.modelRecord,
    toolCalls: turn.toolCalls,
    isEstimated: turn.isEstimated,
    cost: await costOf(deps, turn),
    outbound: outboundOf(turn, reply),
    timing: timingOf(turn, reply),
  };
}

/** The same for a responder of the reply's bot, without the tenant's keys. @throws HttpError 404. */
export async function getTraceForResponder(
  deps: Deps,
  { tenantId, traceId, botIds }: { tenantId: string; traceId: string; botIds: readonly string[] },
): Promise<ContextTrace> {
  const trace = await getTrace(deps, tenantId, traceId);
  if (!botIds.includes(trace.botId)) throw notFound('trace');
  return { ...trace, key: { keyId: null, source: 'none', attempts: [] } };
}

/** A partly erased turn no longer has a reply, but its reply was sent. */
const stateOf = (reply: MessageRow | null): TraceSummary['state'] =>
  reply?.status === 'sending' || reply?.status === 'failed' || reply?.status === 'uncertain'
    ? reply.status
    : 'sent';

function deliveriesOf(
  { deliveries }: TurnRow,
  origins: readonly Pick<MessageRow, 'messageId' | 'deliveryId' | 'platformMessageId'>[],
): ContextTrace['deliveries'] {
  const originOf = new Map(origins.map((origin) => [origin.messageId, origin]));
  return deliveries.map((delivery) => ({
    ...delivery,
    deliveryId: originOf.get(delivery.messageId)?.deliveryId ?? null,
    platformMessageId: originOf.get(delivery.messageId)?.platformMessageId ?? null,
    dedupe: 'first',
  }));
}

function outboundOf({ replyId }: TurnRow, reply: MessageRow | null): ContextTrace['outbound'] {
  const platformMessageIds = reply?.delivery?.platformMessageIds ?? [];
  return {
    replyId,
    seq: reply?.seq ?? 0,
    state: stateOf(reply),
    parts: platformMessageIds.length,
    platformMessageIds,
    isUncertain: reply?.delivery?.isUncertain ?? false,
    lastError: reply?.lastError ?? null,
  };
}

function timingOf(turn: TurnRow, reply: MessageRow | null): ContextTrace['timing'] {
  const receivedAt = turn.deliveries[0]?.receivedAt ?? null;
  const begunMs = turn.createdAt.getTime() - turn.durationMs;
  return {
    receivedAt,
    answeredAt: turn.createdAt.toISOString(),
    deliveredAt: reply?.delivery?.deliveredAt ?? null,
    waitedMs: receivedAt === null ? null : Math.max(0, begunMs - Date.parse(receivedAt)),
    durationMs: turn.durationMs,
  };
}

/** A trace is available even while the usage service isn't. */
async function costOf({ usage, log }: Deps, turn: TurnRow): Promise<TraceCost> {
  const { tenantId, turnId, inputTokens, outputTokens, toolCalls } = turn;
  if (inputTokens + outputTokens + toolCalls.length === 0 && turn.outcome !== 'answered')
    return { microUsd: 0, state: 'nothing used' };
  try {
    const [cost] = await usage.costsOf(tenantId, [turnId]);
    if (!cost) return { microUsd: null, state: 'pending' };
    return { microUsd: cost.costMicroUsd, state: cost.costMicroUsd === null ? 'unpriced' : 'counted' };
  } catch (error) {
    if (!(error instanceof HttpError) || error.status < 500) throw error;
    log.warn({ err: error }, 'a trace is returned without its cost');
    return { microUsd: null, state: 'unavailable' };
  }
}
