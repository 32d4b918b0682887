import { unavailable } from '@botyard/shared/http/errors';
import type { ModelMessage } from 'ai';
import { maxOutputTokens } from '../../clients/model.ts';
import type { Deps } from '../../deps.ts';
import type { AgentDefinitionRow } from '../../store/definitions/agent-definitions.ts';
import type { MessageRow } from '../../store/messages.ts';
import type { Cause } from './phrases.ts';

/** What a turn holds beyond its own deadline: reading, storing, and the way of its event. */
const holdLongerMs = 60_000;
/** How long a message waits for others to give back what they reserved. */
const mostWaitMs = 30_000;
/** What the parts of a request cost beside their texts. */
const tokensOfFrame = 16;

/** Why no model may be asked now; `undefined` when it may. */
export type QuotaRefusal = Extract<Cause, 'quota exhausted' | 'rate limited'>;

/**
 * Sets aside what the model call of a turn may use at most, once for all tries of the turn. While others' reservations
 * fill what is left of the quota, the turn is put off like in an outage, for half a minute. @throws HttpError 503 then,
 * and when the usage service doesn't answer: nothing is ever asked unmetered.
 */
export async function reserveQuota(
  deps: Deps,
  turn: readonly MessageRow[],
  call: { botId: string; agent: AgentDefinitionRow; messages: readonly ModelMessage[] },
): Promise<QuotaRefusal | undefined> {
  const { botId, agent, messages } = call;
  const [first] = turn;
  if (!first) return undefined;
  const { granted, exceeded } = await deps.usage.reserve({
    tenantId: agent.tenantId,
    reservationId: first.messageId,
    botId,
    agentId: agent.id,
    provider: agent.provider,
    model: agent.model,
    estimate: { inputTokens: mostInputTokens(agent.instructions, messages), outputTokens: maxOutputTokens },
    holdMs: deps.config.MODEL_TIMEOUT_MS + holdLongerMs,
  });
  if (granted) return undefined;
  if (exceeded.length > 0) return 'quota exhausted';
  if (Date.now() - first.createdAt.getTime() > mostWaitMs) return 'rate limited';
  throw unavailable('others are using what is left of the quota');
}

/** The first message of a turn is in all its tries, and in no other turn. */
export const reservationOf = (turn: readonly MessageRow[]): string | undefined => turn[0]?.messageId;

/** Tokens are made of bytes, so there are never more of them; that makes the estimate a bound. */
function mostInputTokens(instructions: string, messages: readonly ModelMessage[]): number {
  const bytes = [instructions, ...messages.map(({ content }) => String(content))].map(
    (text) => Buffer.byteLength(text, 'utf8') + tokensOfFrame,
  );
  return bytes.reduce((sum, count) => sum + count, 0);
}
