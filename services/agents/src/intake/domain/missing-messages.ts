import { attentionNeeded } from '@botyard/contracts/events/agents';
import { findMessages, listRecentMessages } from '@botyard/contracts/events/webhook-requests';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { findErased } from '@botyard/shared/db/erased-people';
import { HttpError, isUnavailable } from '@botyard/shared/http/errors';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { z } from 'zod';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { personIdOf } from '../../conversations/store/people.ts';
import { holdPlaces } from '../../conversations/store/places.ts';
import type { Deps } from '../deps.ts';
import { enqueueMessages } from '../store/enqueue.ts';
import { deadLetterMissing, listBehind, listMissing } from '../store/missing.ts';

/**
 * Events arrive out of order only after trouble with the bus. After this time a missing message is requested from the
 * webhooks service.
 */
const lookAfterMs = 3000;
/** How long messages wait behind a gap whose message isn't found (P8: 60 s). */
const longestGapMs = 45_000;
const maxAtOnce = 100;

type GapDeps = Pick<Deps, 'database' | 'bus' | 'log' | 'outbox' | 'wakeWorker'>;
type ConversationKey = Pick<ClaimedConversation, 'tenantId' | 'conversationId'>;

/**
 * Closes the gap before the first message that waits, if there is one: messages whose events were lost are fetched from
 * the webhooks service and answered in their positions. A message that it doesn't have either becomes a dead letter
 * with its cause, once the gap has been open for 45 s. Returns `false` while the messages behind the gap have to wait.
 */
export async function closeGap(
  deps: GapDeps,
  { tenantId, conversationId, nextSeq, nowMs }: ClaimedConversation,
  first: SaidRow | undefined,
): Promise<boolean> {
  if (!first || first.seq <= nextSeq) return true;
  const key = { tenantId, conversationId };
  const openMs = nowMs() - first.createdAt.getTime();
  const missing = await withTenant(deps.database, [tenantId], (tx) =>
    listMissing(tx, key, { from: nextSeq, before: first.seq, limit: maxAtOnce }),
  );
  if (missing.length === 0) return true;
  if (openMs < lookAfterMs) return false;
  const cause = await fetchKept(deps, key, missing);
  if (cause === undefined || openMs < longestGapMs) return false;
  await withTenant(deps.database, [tenantId], async (tx) => {
    const messageIds = await deadLetterMissing(tx, key, missing, cause);
    const events = messageIds.map((id) => ({ tenantId, conversationId, kind: 'dead letter' as const, id }));
    await deps.outbox.emit(tx, attentionNeeded, ...events);
  });
  deps.log.error(
    { conversationId, seqs: missing, cause },
    'messages became dead letters: their events were lost',
  );
  return missing.length < maxAtOnce;
}

/** Stores those of these messages that the webhooks service still has. If there are none, returns the reason. */
async function fetchKept(
  { bus, database, log, wakeWorker }: GapDeps,
  { tenantId, conversationId }: ConversationKey,
  seqs: number[],
): Promise<string | undefined> {
  let messages: InboundMessage[];
  try {
    ({ messages } = await ask(bus, findMessages, { tenantId, conversationId, seqs }));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    log.warn({ err: error, conversationId }, 'could not fetch missing messages');
    return 'lost on its way: its event did not arrive, and could not be fetched';
  }
  if (messages.length === 0) return 'lost on its way: its event did not arrive and is no longer kept';
  await withTenant(database, [tenantId], async (tx) => {
    await storeKept(tx, messages);
    tx.afterCommit(() => wakeWorker());
  });
  log.warn({ conversationId, messages: messages.length }, 'fetched messages whose events were lost');
  return undefined;
}

/** Stores messages as if their events had arrived. If the author was erased since, only the position is stored. */
export async function storeKept(tx: TenantTx, messages: readonly InboundMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const said = messages.map((message) => ({
    tenantId: message.tenantId,
    personId: personIdOf(message),
    saidAt: message.receivedAt,
  }));
  const erased = await findErased(tx, 'agents', said);
  const held = messages.filter((_message, place) => erased.has(place));
  const taken = messages.filter((_message, place) => !erased.has(place));
  if (held.length > 0) await holdPlaces(tx, held);
  if (taken.length > 0) await enqueueMessages(tx, taken);
}

type Conversations = z.output<typeof listRecentMessages.response>['conversations'];

const lookEveryMs = 10_000;

/**
 * Finds messages whose events were lost and that no later message waits for. The webhooks service reports the last
 * position of each conversation. A message that isn't stored is fetched, provided that everything in the stream was
 * handled.
 */
export function createLostMessageWatch(deps: GapDeps): Worker {
  return createPeriodic({
    name: 'messages lost on their way',
    everyMs: lookEveryMs,
    log: deps.log,
    work: async (isStopped) => {
      try {
        await fetchLost(deps, isStopped);
      } catch (error) {
        // If the service is unavailable, the next run asks it again.
        if (!isUnavailable(error)) throw error;
      }
    },
  });
}

async function fetchLost(deps: GapDeps, isStopped: () => boolean): Promise<void> {
  const { conversations } = await ask(deps.bus, listRecentMessages, {});
  const handled = conversations.length > 0 ? await handledOf(deps, conversations) : [];
  if (handled.length === 0) return;
  const behind = await withPlatform(deps.database, 'messages lost on their way', (tx) =>
    listBehind(tx, handled),
  );
  for (const { lastSeq, wantedSeq, ...conversation } of behind) {
    if (isStopped()) return;
    const count = Math.min(wantedSeq - lastSeq, maxAtOnce);
    const seqs = Array.from({ length: count }, (_none, index) => lastSeq + 1 + index);
    await fetchKept(deps, conversation, seqs);
  }
}

/** Conversations whose newest event was handled or has left the stream. Others still have messages on their way. */
async function handledOf({ bus }: GapDeps, conversations: Conversations): Promise<Conversations> {
  const stream = bus.names.stream('webhooks');
  const info = await bus.live().manager.consumers.info(stream, bus.service);
  if (info.num_pending === 0 && info.num_ack_pending === 0) return conversations;
  return conversations.filter(({ streamSeq }) => streamSeq <= info.ack_floor.stream_seq);
}
