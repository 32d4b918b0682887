import { eraseFromStream, type Fate } from '@botyard/shared/bus/erase-events';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { eraseDeadLetters, throughOutbox } from '@botyard/shared/db/erase-bus-rows';
import { emptyReplies, listEmptied } from '../store/groups.ts';
import type { EraseDeps, Erasure, Tally } from './erasure.ts';

/**
 * Removes events about a person from dead letters, outbox and stream. Returns `false` when there are more, or when some
 * have to be consumed first.
 */
export async function eraseEvents(
  { bus, database }: EraseDeps,
  erasure: Erasure,
  tally: Tally,
): Promise<boolean> {
  const { tenantId, groupIds, privateIds, accounts } = erasure;
  const letters = {
    schema: 'agents',
    tenantId,
    conversationIds: privateIds,
    accounts,
  };
  await withPlatform(database, 'events of an erased person', async (tx) => {
    tally.add('dead_letters', await eraseDeadLetters(tx, letters));
  });
  await throughOutbox({ database, schema: 'agents' }, async (tx, span) =>
    tally.add('outbox', await emptyReplies(tx, erasure, span)),
  );
  const emptied = await withTenant(database, [tenantId], (tx) => listEmptied(tx, tenantId, groupIds));
  const subjects = [...privateIds, ...groupIds].map((id) =>
    bus.names.everyEventOf(bus.service, { tenantId, conversationId: id }),
  );
  const { erased, isDone } = await eraseFromStream(bus, {
    subjects,
    fateOf: (data) => fateOfReply(data, erasure, emptied),
    consumer: 'webhooks',
    deadline: erasure.deadline,
  });
  tally.add('stream', erased);
  return isDone;
}

/**
 * A reply that the webhooks service hasn't consumed yet would leave a gap if it were removed. So it is consumed first,
 * without being shown.
 */
function fateOfReply(
  data: unknown,
  { privateIds, erasedBefore }: Erasure,
  emptied: ReadonlySet<string>,
): Fate {
  const {
    conversationId = '',
    replyId = '',
    text = '',
    askedAt,
  } = (data ?? {}) as Record<string, string | undefined>;
  if (text === '' || (askedAt && Date.parse(askedAt) > erasedBefore.getTime())) return 'keep';
  return privateIds.includes(conversationId) || emptied.has(replyId) ? 'erase once consumed' : 'keep';
}
