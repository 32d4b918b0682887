import { setTimeout as pause } from 'node:timers/promises';
import { withTenant } from '@botyard/shared/db/database';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { HttpError } from '@botyard/shared/http/errors';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../deps.ts';
import { getNextReplySeq } from '../store/end-turns.ts';
import { rowsOf } from './end-rows.ts';
import type { TurnEnd } from './turn-end.ts';

type EndDeps = Pick<Deps, 'database' | 'turnEnds' | 'outbox' | 'wakeWorker' | 'log'>;

const maxTries = 8;
const pauseMs = 250;

/**
 * Writes how a turn ends and releases its conversation, together with other turns that end at the same moment. If the
 * fence is stale, nothing is written: the new holder's answer counts. A short outage of the database is waited out,
 * because the model's answer has been paid for.
 */
export async function endTurn(
  deps: EndDeps,
  conversation: ClaimedConversation,
  end: TurnEnd,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write(deps, conversation, end);
    } catch (error) {
      if (isUniqueViolation(error, 'messages_in_order')) await takeNextPlace(deps, conversation);
      else if (isUnavailable(error)) await pause(pauseMs, undefined, { signal });
      else throw error;
      if (tries >= maxTries) throw error;
    }
  }
}

export const isUnavailable = (error: unknown): boolean => error instanceof HttpError && error.status === 503;

async function write(deps: EndDeps, conversation: ClaimedConversation, end: TurnEnd): Promise<void> {
  const rows = rowsOf(deps, conversation, end);
  const ended = await deps.turnEnds.run(rows);
  if (!ended) {
    deps.log.warn({ conversationId: conversation.conversationId }, 'another worker has the conversation');
    return;
  }
  deps.outbox.publish(ended.isSilenced ? rows.eventsIfSilenced : rows.events);
  if (ended.isReady) deps.wakeWorker(rows.waitMs ?? 0);
}

/** A reply that was sent again meanwhile has the position that was read at the turn's beginning. */
async function takeNextPlace({ database }: EndDeps, conversation: ClaimedConversation): Promise<void> {
  const { tenantId, nextReplySeq } = conversation;
  const next = await withTenant(database, [tenantId], (tx) => getNextReplySeq(tx, conversation));
  conversation.nextReplySeq = next ?? nextReplySeq;
}
