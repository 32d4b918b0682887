import type { DataOf } from '@botyard/contracts/events/definition';
import { integrationSaved } from '@botyard/contracts/events/tenancy';
import type { accountChanged } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { toIntegrationState } from '../domain/registration.ts';
import { detachIntegration, saveAccountState } from '../store/accounts.ts';

/** Shows a platform's news of an account. An integration whose account was removed is no longer used. */
export async function onAccountChanged(
  tx: TenantTx,
  { data }: { data: DataOf<typeof accountChanged> },
  { outbox }: Pick<Deps, 'outbox'>,
): Promise<void> {
  const row = await saveAccountState(tx, data);
  if (row?.accountState !== 'removed') return;
  const detached = await detachIntegration(tx, row, data.reason);
  await outbox.emit(tx, integrationSaved, toIntegrationState(detached));
}
