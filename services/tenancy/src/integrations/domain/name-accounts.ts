import { integrationSaved } from '@botyard/contracts/events/tenancy';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { detachIntegration, listUnnamed, lockSharers, nameAccount } from '../store/accounts.ts';
import type { IntegrationRow } from '../store/integrations.ts';
import { toIntegrationState } from './registration.ts';
import { openSealed } from './sealed.ts';

type NamingDeps = Pick<Deps, 'database' | 'keyring' | 'outbox' | 'log'>;

/**
 * Gives integrations of an older version their accounts. Processes of that version may run beside this one, and change
 * integrations without naming their accounts.
 */
export const createAccountNaming = (deps: NamingDeps): Worker =>
  createPeriodic({
    name: 'accounts of integrations',
    everyMs: 60_000,
    log: deps.log,
    work: (isStopped) => nameAccounts(deps, isStopped),
  });

const batchSize = 100;

export async function nameAccounts(deps: NamingDeps, isStopped: () => boolean = () => false): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const wanted: { after: string | null; limit: number } = { after, limit: batchSize };
    const rows: IntegrationRow[] = await withPlatform(deps.database, 'integrations without accounts', (tx) =>
      listUnnamed(tx, wanted),
    );
    for (const row of rows) {
      if (isStopped()) return;
      const accountId = await accountOf(deps, row);
      if (accountId !== undefined) await settleAccount(deps, row, accountId);
    }
    if (rows.length < batchSize) return;
    after = rows.at(-1)!.integrationId;
  }
}

/** The account by what is stored of it; `undefined` if nothing is. */
async function accountOf({ keyring, log }: NamingDeps, row: IntegrationRow): Promise<string | undefined> {
  const { accountSecret, usesAddresses } = platformDefinitions[row.integrationType];
  if (usesAddresses) return row.address ?? undefined;
  if (accountSecret === undefined) return undefined;
  try {
    const secrets = (await openSealed(keyring, row)) as Readonly<Record<string, unknown>>;
    const accountId = secrets[accountSecret];
    return typeof accountId === 'string' ? accountId : undefined;
  } catch (error) {
    const { integrationId } = row;
    log.error({ err: error, integrationId }, 'the credentials of an integration can not be opened');
    return undefined;
  }
}

const shared = 'an older integration has this account: give this one the credentials of another account';

/** The older one of two integrations with one account stays, and the newer one fails. */
async function settleAccount(deps: NamingDeps, unnamed: IntegrationRow, accountId: string): Promise<void> {
  await withPlatform(deps.database, 'name the account of an integration', async (tx) => {
    const rows = await lockSharers(tx, { ...unnamed, accountId });
    const current = rows.find(({ integrationId }) => integrationId === unnamed.integrationId);
    if (current?.revision !== unnamed.revision || current.accountId !== null) return;
    const [oldest, newer] = rows;
    const announced: IntegrationRow[] = [];
    if (newer) {
      const { tenantId, integrationId } = newer;
      deps.log.warn({ tenantId, integrationId, reason: shared }, 'an integration has no account');
      announced.push(await detachIntegration(tx, newer, { reason: shared }));
    }
    if (oldest!.accountId === null) announced.push(await nameAccount(tx, oldest!, accountId));
    await deps.outbox.emit(tx, integrationSaved, ...announced.map(toIntegrationState));
  });
}
