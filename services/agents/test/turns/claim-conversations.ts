import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { statementsOf } from '@botyard/shared/work/leased-queue/queue-table';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import {
  type ClaimedConversation,
  type ConversationClaim,
  conversationQueue,
  toClaimed,
} from '../../src/conversations/store/claimed-conversation.ts';

const { claim, renew } = statementsOf(conversationQueue, false);

const inTx = <Result>(harness: ServiceHarness, work: (tx: PlatformTx) => Promise<Result>) =>
  withPlatform(harness.databaseAs('agents'), 'test', work);

/** Claims like the worker, those first that are due longest. */
export async function claimConversations(
  harness: ServiceHarness,
  limit = 10,
): Promise<ClaimedConversation[]> {
  const claims = await inTx(harness, (tx) =>
    tx.query({ name: 'test.conversations.claim', text: claim, values: { limit } }),
  );
  return claims.map(toClaimed);
}

/** Renews the lease like the worker. Returns `false` if it was lost. */
export const renewLease = (
  harness: ServiceHarness,
  { tenantId, conversationId, fence }: ConversationClaim,
): Promise<boolean> =>
  inTx(harness, (tx) =>
    tx.has({ name: 'test.conversations.renew', text: renew!, values: { tenantId, conversationId, fence } }),
  );
