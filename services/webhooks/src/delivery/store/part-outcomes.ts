import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { exists, like } from '@botyard/shared/db/expressions';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { chats, parts } from '../../store/schema.ts';

export interface PartOutcome {
  state: 'queued' | 'sent' | 'failed';
  platformMessageId?: string | undefined;
  lastError?: string | undefined;
  /** The send may or may not have arrived. */
  isUnclear?: boolean | undefined;
  /** The attempt counts for the wait before the next one; waiting for the platform's pace does not. */
  isAttempt?: boolean | undefined;
}

/**
 * A condition on a part that is found by its key. Without `is true` the planner might use the partial index of all
 * pending parts, which holds every part sent since the last vacuum.
 */
export const isSending = "(state = 'sending') is true";

/** The known result of one send of a part. */
export interface PartSend {
  tenantId: string;
  partId: string;
  /** The number of the send: 1, 2, 3, … */
  send: number;
  outcome: PartOutcome;
}

/** `outdated`: the outcome was written before, or a later send has begun. `missing`: there is no such row. */
export type Settled = 'written' | 'outdated' | 'missing';

const settled = columns({
  written: exists('from written'),
  known: exists('from webhooks.parts where tenant_id = $tenantId and part_id = $partId'),
});
const settleText = typedSql`with written as (
    update webhooks.parts set state = $state, platform_message_id = $platformMessageId, last_error = $lastError,
      is_uncertain = is_uncertain or $isUnclear, attempts = attempts + $addedAttempts,
      open_sends = open_sends - $endedSends, is_unannounced = is_unannounced or $isUnannounced
    where tenant_id = $tenantId and part_id = $partId and sends = $send and ${isSending} returning 1)
  select ${settled}`;

/**
 * Writes the outcome of a send. It needs no lease: until a later send begins, the outcome is the current state of the
 * part. `isAlone` means that this transaction doesn't handle the consequences.
 */
export async function savePartOutcome(
  tx: TenantTx,
  { tenantId, partId, send, outcome }: PartSend,
  { isAlone = false }: { isAlone?: boolean } = {},
): Promise<Settled> {
  const { state, platformMessageId = null, lastError = null } = outcome;
  const { isUnclear = false, isAttempt = false } = outcome;
  const mayHaveArrived = isUnclear || state === 'sent';
  const [row] = await tx.query({
    name: 'webhooks.parts.settle',
    text: settleText,
    values: {
      tenantId,
      partId,
      send,
      state,
      platformMessageId,
      lastError,
      isUnclear,
      addedAttempts: isAttempt ? 1 : 0,
      endedSends: mayHaveArrived ? 0 : 1,
      isUnannounced: isAlone && state !== 'queued',
    },
  });
  if (row?.written) return 'written';
  return row?.known ? 'outdated' : 'missing';
}

const p = alias(parts, 'p');
const unannounced = columns({
  ...pick(p, 'tenantId', 'partId', 'replyId', 'botId', 'platformChatId'),
  platform: like(chats.platform, 'coalesce(r.platform, c.platform)'),
});
type UnannouncedPart = RowOf<typeof unannounced>;

const unannouncedText = typedSql`select ${unannounced} from webhooks.parts p
  left join webhooks.replies r on r.tenant_id = p.tenant_id and r.reply_id = p.reply_id
  left join webhooks.chats c on c.tenant_id = p.tenant_id and c.bot_id = p.bot_id
    and c.platform_chat_id = p.platform_chat_id
  where p.is_unannounced limit 100`;

/** Parts whose outcome was saved without its event. */
export async function listUnannouncedParts(tx: PlatformTx): Promise<UnannouncedPart[]> {
  return await tx.query({ name: 'webhooks.parts.unannounced', text: unannouncedText, values: [] });
}

/** Locks the chat, like every announcement of a reply, and clears the mark. */
export async function takeUnannounced(
  tx: TenantTx,
  { tenantId, partId, botId, platformChatId }: UnannouncedPart,
): Promise<void> {
  await tx.query({
    name: 'webhooks.chats.lock_for_announcement',
    text: `select from webhooks.chats where tenant_id = $1 and bot_id = $2 and platform_chat_id = $3 for update`,
    values: [tenantId, botId, platformChatId],
  });
  await tx.query({
    name: 'webhooks.parts.announce',
    text: `update webhooks.parts set is_unannounced = false where tenant_id = $1 and part_id = $2`,
    values: [tenantId, partId],
  });
}

/** Makes sure that the outbox takes events in this transaction. @throws without waiting if it is locked. */
export async function lockOutboxForWriting(tx: TenantTx): Promise<void> {
  await tx.query({
    name: 'webhooks.outbox.lock',
    text: 'lock table webhooks.outbox in row exclusive mode nowait',
    values: [],
  });
}
