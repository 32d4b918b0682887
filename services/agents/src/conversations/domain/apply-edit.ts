import type { EditedMessage } from '@botyard/contracts/events/webhooks';
import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../../deps.ts';
import {
  deleteConversation,
  insertEarlyEdit,
  lockConversation,
  pruneEarlyEdits,
  updateEdited,
} from '../store/edits.ts';

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

/** Forgets edits of messages that never came. */
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
