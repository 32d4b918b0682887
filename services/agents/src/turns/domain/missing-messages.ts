import { attentionNeeded } from '@botyard/contracts/events/agents';
import { findMessages } from '@botyard/contracts/events/webhook-requests';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { ask } from '@botyard/shared/bus/requests';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { findErased } from '@botyard/shared/db/erased-people';
import { HttpError } from '@botyard/shared/http/errors';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import { personIdOf } from '../../conversations/store/people.ts';
import { holdPlaces } from '../../conversations/store/places.ts';
import type { Deps } from '../deps.ts';
import { enqueueMessages } from '../store/enqueue.ts';
import { deadLetterMissing, listMissing } from '../store/missing.ts';

/**
 * Events arrive out of order only after trouble with the bus. After this time a missing message is requested from the
 * webhooks service.
 */
const lookAfterMs = 3000;
/** How long messages wait behind a gap whose message isn't found (P8: 60 s). */
const longestGapMs = 45_000;
export const maxAtOnce = 100;

type GapDeps = Pick<Deps, 'database' | 'bus' | 'log' | 'outbox' | 'wakeWorker'>;

/** The position of a message that waits for missing ones, and how long it has waited. */
interface Gap {
  beforeSeq: number;
  openMs: number;
}

/**
 * Closes a gap: messages whose events were lost are fetched from the webhooks service and answered in their positions.
 * A message that it doesn't have either becomes a dead letter with its cause, once the gap has been open for 45 s.
 * Returns `false` while the messages behind the gap have to wait.
 */
export async function closeGap(deps: GapDeps, conversation: ClaimedConversation, gap: Gap): Promise<boolean> {
  const { tenantId, nextSeq } = conversation;
  const missing = await withTenant(deps.database, [tenantId], (tx) =>
    listMissing(tx, conversation, { from: nextSeq, before: gap.beforeSeq, limit: maxAtOnce }),
  );
  if (missing.length === 0) return true;
  if (gap.openMs < lookAfterMs) return false;
  const kept = await fetchKept(deps, conversation, missing);
  if (kept.messages.length > 0) return false;
  if (gap.openMs < longestGapMs) return false;
  await withTenant(deps.database, [tenantId], async (tx) => {
    const messageIds = await deadLetterMissing(tx, conversation, missing, kept.cause);
    const { conversationId } = conversation;
    const events = messageIds.map((id) => ({ tenantId, conversationId, kind: 'dead letter' as const, id }));
    await deps.outbox.emitAll(tx, attentionNeeded, events);
  });
  deps.log.error(
    { conversationId: conversation.conversationId, seqs: missing, cause: kept.cause },
    'messages became dead letters: their events were lost',
  );
  return missing.length < maxAtOnce;
}

/** Stores those of these messages that the webhooks service still has. */
export async function fetchKept(
  deps: GapDeps,
  conversation: Pick<ClaimedConversation, 'tenantId' | 'conversationId'>,
  seqs: number[],
): Promise<Kept> {
  const kept = await findKept(deps, conversation, seqs);
  if (kept.messages.length === 0) return kept;
  const { tenantId, conversationId } = conversation;
  await withTenant(deps.database, [tenantId], async (tx) => {
    await storeKept(tx, kept.messages);
    tx.afterCommit(() => deps.wakeWorker());
  });
  const found = { conversationId, messages: kept.messages.length };
  deps.log.warn(found, 'fetched messages whose events were lost');
  return kept;
}

interface Kept {
  messages: InboundMessage[];
  /** The reason why there are none. */
  cause: string;
}

async function findKept(
  { bus, log }: GapDeps,
  { tenantId, conversationId }: Pick<ClaimedConversation, 'tenantId' | 'conversationId'>,
  seqs: number[],
): Promise<Kept> {
  try {
    const { messages } = await ask(bus, findMessages, { tenantId, conversationId, seqs });
    return { messages, cause: 'lost on its way: its event did not arrive and is no longer kept' };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    log.warn({ err: error, conversationId }, 'could not fetch missing messages');
    return { messages: [], cause: 'lost on its way: its event did not arrive, and could not be fetched' };
  }
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
