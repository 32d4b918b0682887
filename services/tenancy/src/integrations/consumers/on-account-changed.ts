import type { DataOf } from '@botyard/contracts/events/definition';
import { integrationSaved } from '@botyard/contracts/events/tenancy';
import type { accountChanged } from '@botyard/contracts/events/webhooks';
import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { toIntegrationState } from '../domain/registration.ts';
import { sealWithoutCredentials } from '../domain/sealed.ts';
import { detachIntegration, saveAccountState } from '../store/accounts.ts';

/** Shows a platform's news of an account. An integration whose account was removed keeps its settings alone. */
export async function onAccountChanged(
  tx: TenantTx,
  { data }: { data: DataOf<typeof accountChanged> },
  { keyring, outbox }: Pick<Deps, 'keyring' | 'outbox'>,
): Promise<void> {
  const row = await saveAccountState(tx, data);
  if (row?.accountState !== 'removed') return;
  const sealedSecrets = await sealWithoutCredentials(keyring, row);
  const detached = await detachIntegration(tx, row, { reason: data.reason, sealedSecrets });
  await outbox.emit(tx, integrationSaved, toIntegrationState(detached));
}
