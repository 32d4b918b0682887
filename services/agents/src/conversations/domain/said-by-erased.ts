import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';
import { findErased, type Said } from '@botyard/shared/db/erased-people';
import type { ClaimedConversation } from '../store/claimed-conversation.ts';
import type { SaidRow } from '../store/messages.ts';

/** The authors and times of the messages that a turn answers. */
export const saidIn = (
  { tenantId, platform }: Pick<ClaimedConversation, 'tenantId' | 'platform'>,
  turn: readonly SaidRow[],
): Said[] =>
  turn.flatMap(({ sender, receivedAt }) =>
    sender
      ? [
          {
            tenantId,
            personId: personIdOfAccount(tenantId, { platform, platformUserId: sender.platformUserId }),
            saidAt: receivedAt,
          },
        ]
      : [],
  );

/**
 * Whether the author of one of these messages was erased since. A running turn about them is dropped at its end. A
 * tool that stores something earlier has to ask this in the same transaction.
 */
export const isOfErased = async (tx: TenantTx, said: readonly Said[]): Promise<boolean> =>
  (await findErased(tx, 'agents', said)).size > 0;
