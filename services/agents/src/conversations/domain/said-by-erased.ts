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
 * Whether somebody was erased since they said one of these. A turn that is being answered meanwhile is thrown away at its end; what its
 * tools would keep before that has to be refused in the transaction that would keep it.
 */
export const isOfErased = async (tx: TenantTx, said: readonly Said[]): Promise<boolean> =>
  (await findErased(tx, 'agents', said)).size > 0;
