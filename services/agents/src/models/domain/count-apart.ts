import { turnCompleted } from '@botyard/contracts/events/agents';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
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
export async function countApart(deps: Pick<Deps, 'database' | 'outbox'>, used: UsedApart): Promise<void> {
  await withTenant(deps.database, [used.wanted.tenantId], (tx) => countApartIn(deps, tx, used));
}

/** The same in the caller's transaction. */
export async function countApartIn(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  { wanted, conversationId, model, key, usage, reservationId }: UsedApart,
): Promise<void> {
  const { tenantId, botId, provider } = wanted;
  await outbox.emit(tx, turnCompleted, {
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
  });
}
