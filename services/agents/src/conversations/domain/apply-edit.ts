import type { DeletedMessage, EditedMessage } from '@botyard/contracts/events/webhooks';
import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { deleteConversation, lockConversation } from '../store/conversation-lock.ts';
import { emptyDeleted } from '../store/deletions.ts';
import { insertEarlyDeletion, insertEarlyEdit, pruneEarlyEdits } from '../store/early-edits.ts';
import { updateEdited } from '../store/edits.ts';

/**
 * Applies a person's edit of a message (REQ-CHAT-12). The stored text changes, and a pending message is answered in its
 * new form; answered messages aren't answered again. An edit that arrives before its message is stored for it. An edit
 * whose message never arrives is deleted after a day.
 */
export async function applyEdit(tx: TenantTx, edit: EditedMessage): Promise<void> {
  const { isMade } = await lockConversation(tx, edit);
  if (!(await updateEdited(tx, edit))) await insertEarlyEdit(tx, edit);
  if (isMade) await deleteConversation(tx, edit);
}

/**
 * Applies a person's deletion of a message: its content is removed for ever, with what was made of it, and a pending
 * message isn't answered. A deletion that arrives before its message is stored for it. No edit undoes it.
 */
export async function applyDeletion(tx: TenantTx, deletion: DeletedMessage): Promise<void> {
  const { platformChatId } = deletion;
  const chat = { platformChatId, kind: 'private' as const, title: '' };
  const { isMade } = await lockConversation(tx, { ...deletion, chat });
  await emptyDeleted(tx, deletion);
  await insertEarlyDeletion(tx, deletion);
  if (isMade) await deleteConversation(tx, deletion);
}

/** Deletes edits and deletions whose messages never arrived. */
export function createEditPruning({ database, log }: Pick<Deps, 'database' | 'log'>): Worker {
  return createPeriodic({
    name: 'edits without messages',
    everyMs: 600_000,
    log,
    work: async (isStopped) => {
      while (!isStopped() && (await withPlatform(database, 'prune edits', pruneEarlyEdits)) > 0);
    },
  });
}
