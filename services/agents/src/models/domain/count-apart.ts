import { turnCompleted } from '@botyard/contracts/events/agents';
import type { DataOf } from '@botyard/contracts/events/definition';
import { withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { ResolvedKey, WantedKey } from '../../clients/keys.ts';
import type { TokenUse } from '../clients/wire.ts';
import type { Deps } from '../deps.ts';

/** Use that belongs to no answer. */
interface UsedApart {
  wanted: Pick<WantedKey, 'tenantId' | 'provider'> & { botId: string };
  conversationId: string;
  model: string;
  key: Pick<ResolvedKey, 'keyId' | 'source'>;
  usage: TokenUse;
  /** The reservation that this use settles. */
  reservationId: string;
}

/** Counts paid use separately from the end of the turn, and not as an answered message. */
export async function countApart(
  { database, outbox }: Pick<Deps, 'database' | 'outbox'>,
  used: UsedApart,
): Promise<void> {
  await withTenant(database, [used.wanted.tenantId], (tx) =>
    outbox.emit(tx, turnCompleted, completionOf(used)),
  );
}

/** The event that counts the use. */
export function completionOf({
  wanted,
  conversationId,
  model,
  key,
  usage,
  reservationId,
}: UsedApart): DataOf<typeof turnCompleted> {
  const { tenantId, botId, provider } = wanted;
  return {
    tenantId,
    botId,
    conversationId,
    turnId: uuidv7(),
    agentId: null,
    outcome: 'command',
    provider,
    model,
    keyId: key.keyId,
    keySource: key.source,
    ...usage,
    toolCalls: 0,
    completedAt: new Date().toISOString(),
    durationMs: 0,
    reservationId,
  };
}
