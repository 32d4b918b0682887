import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { advancePositions } from '../../conversations/store/places.ts';
import { emptySaid } from '../store/groups.ts';
import { breakFences, deleteMadeOf, deleteSaid } from '../store/private-chats.ts';
import type { EraseDeps, Erasure, Tally } from './erasure.ts';

const batchSize = 1000;

/**
 * Removes the messages of a person's private chats, and everything derived from them. Returns `false` when the time ran
 * out.
 */
export async function erasePrivate(deps: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  const { database } = deps;
  const until = { ...erasure, conversationIds: erasure.privateIds };
  if (erasure.privateIds.length === 0) return true;
  for (;;) {
    const { messages, turns } = await withTenant(database, [erasure.tenantId], async (tx) => {
      // In the same transaction: a turn that ends concurrently is either seen below or can't write.
      await breakFences(tx, until);
      return await deleteSaid(tx, until, batchSize);
    });
    tally.add('messages', messages);
    tally.add('turns', turns);
    await failpoint('agents.erasure.between-batches');
    if (messages + turns === 0) break;
    if (Date.now() > erasure.deadline) return false;
  }
  await withTenant(database, [erasure.tenantId], async (tx) => {
    const { edits, summaries, notes, changes } = await deleteMadeOf(tx, until, 'private');
    tally.add('early_edits', edits);
    tally.add('summaries', summaries);
    tally.add('chat_notes', notes);
    tally.add('chat_changes', changes);
    await advancePositions(tx, until);
  });
  deps.wakeWorker();
  return true;
}

/**
 * Empties a person's messages in groups, and the answers that repeat them; other people's texts stay. Returns `false`
 * when the time ran out.
 */
export async function eraseInGroups(deps: EraseDeps, erasure: Erasure, tally: Tally): Promise<boolean> {
  const { tenantId, groupIds, groupsOf, accounts } = erasure;
  if (groupIds.length === 0) return true;
  for (const [platform, conversationIds] of groupsOf) {
    const theirs = accounts.filter((account) => account.platform === platform);
    const platformUserIds = theirs.map(({ platformUserId }) => platformUserId);
    const wanted = { ...erasure, conversationIds, platformUserIds };
    for (;;) {
      const { messages, turns, records } = await withTenant(deps.database, [tenantId], (tx) =>
        emptySaid(tx, wanted, batchSize),
      );
      tally.add('messages', messages);
      tally.add('turns', turns);
      tally.add('app_records', records);
      if (messages + turns === 0) break;
      if (Date.now() > erasure.deadline) return false;
    }
  }
  const { edits, summaries, notes, changes } = await withTenant(deps.database, [tenantId], (tx) =>
    deleteMadeOf(tx, { ...erasure, conversationIds: groupIds }, 'group'),
  );
  tally.add('early_edits', edits);
  tally.add('summaries', summaries);
  tally.add('chat_notes', notes);
  tally.add('chat_changes', changes);
  deps.wakeWorker();
  return true;
}
