import { attentionNeeded } from '@botyard/contracts/events/agents';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';

/** Announces that a person has to look at these tickets or messages of a conversation. */
export async function askForAttention(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { tenantId, conversationId }: { tenantId: string; conversationId: string },
  { kind, ids }: { kind: 'approval' | 'dead letter' | 'handover'; ids: readonly string[] },
): Promise<void> {
  const events = ids.map((id) => ({ tenantId, conversationId, kind, id }));
  await outbox.emitAll(tx, attentionNeeded, events);
}
