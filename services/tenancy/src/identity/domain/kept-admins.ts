import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { listOrganizationsOfTenant, lockIdentities } from '../store/identities.ts';
import { isReleaseDue, listTenantsToRelease } from '../store/seats.ts';
import { settleOrganizations, settleSeats } from './settle-tenant.ts';

type Part = Pick<Deps, 'database' | 'outbox' | 'log'>;

const batchSize = 20;

/**
 * Aligns a tenant with the identity provider once its last admin, who was kept, is no longer the only one. An admin
 * who is named through the API causes no event of the provider. The kept person loses the role within seconds.
 */
export function createKeptAdminRelease(deps: Part & Pick<Deps, 'due'>): Worker {
  const release = createPeriodic({
    name: 'kept admins',
    everyMs: 60_000,
    log: deps.log,
    work: (isStopped) => releaseKeptAdmins(deps, isStopped),
  });
  deps.due.add({ name: 'kept admins', isDue: isReleaseDue, wake: release.wake });
  return release;
}

async function releaseKeptAdmins(deps: Part, isStopped: () => boolean): Promise<void> {
  const tenantIds = await withPlatform(deps.database, 'kept admins', (tx) =>
    listTenantsToRelease(tx, batchSize),
  );
  for (const tenantId of tenantIds) if (!isStopped()) await releaseKeptAdmin(deps, tenantId);
}

async function releaseKeptAdmin(deps: Part, tenantId: string): Promise<void> {
  await withPlatform(deps.database, 'release a kept admin', async (tx) => {
    const organizations = await listOrganizationsOfTenant(tx, tenantId);
    // Organizations are locked before tenants, in the same order as for the provider's events.
    await lockIdentities(tx, 'organization', new Set(organizations));
    if (organizations.length > 0) await settleOrganizations(deps, tx, organizations);
    else await settleSeats(deps, tx, tenantId, null);
  });
}
