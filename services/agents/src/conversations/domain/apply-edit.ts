import type { EditedMessage } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import { deleteConversation, insertEarlyEdit, lockConversation, updateEdited } from '../store/edits.ts';

/**
 * A person changed what they wrote (REQ-CHAT-12): the stored text changes, and what still waits is answered as it reads
 * now; nothing is answered again. An edit that comes before its message is kept for it; one of a message that we never
 * got is forgotten after a day.
 */
export async function applyEdit(tx: TenantTx, edit: EditedMessage): Promise<void> {
  const { isMade } = await lockConversation(tx, edit);
  if (!(await updateEdited(tx, edit))) await insertEarlyEdit(tx, edit);
  if (isMade) await deleteConversation(tx, edit);
}
