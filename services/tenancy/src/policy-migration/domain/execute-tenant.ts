import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { v7 as uuidv7 } from 'uuid';
import { lockTenant } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import { type NewImage, saveImages } from '../store/images.ts';
import { convertSeats, insertMigratedPolicy } from '../store/rows.ts';
import { lockLiveRun, type RunRow } from '../store/runs.ts';
import { type EdgeChange, type PolicyChange, planEdges, planPolicies } from './plan.ts';

/**
 * Migrates one tenant completely or not at all; migrated rows are skipped. Returns `false` when the run has ended.
 * Reach stays the same, so only the new policies are announced.
 */
export async function executeTenant(
  deps: Pick<Deps, 'database' | 'outbox'>,
  run: RunRow,
  tenantId: string,
): Promise<boolean> {
  return await withPlatform(deps.database, 'migrate authorization', async (tx) => {
    const { migrationId } = run;
    const held = await lockLiveRun(tx, 'share');
    if (held?.migrationId !== migrationId || held.state !== 'executing') return false;
    if (!(await lockTenant(tx, tenantId))) return true;
    const edges = await planEdges(tx, { tenantId });
    await convertSeats(
      tx,
      tenantId,
      edges.map(({ userId }) => userId),
    );
    const created = await createPolicies(tx, run, await planPolicies(tx, migrationId, { tenantId }));
    await saveImages(tx, { migrationId, tenantId }, [...edges.map(toImage), ...created]);
    if (created.length > 0) await deps.outbox.emit(tx, authorizationChanged, { tenantId });
    await failpoint('tenancy.policy-migration.in-batch');
    return true;
  });
}

const toImage = ({ userId, before, after }: EdgeChange): NewImage => ({
  kind: 'edge',
  rowId: userId,
  before: { ...before },
  after: { ...after },
});

async function createPolicies(
  tx: PlatformTx,
  { startedBy }: RunRow,
  changes: readonly PolicyChange[],
): Promise<NewImage[]> {
  const images: NewImage[] = [];
  for (const { tenantId, after } of changes) {
    const policyId = uuidv7();
    const isNew = await insertMigratedPolicy(tx, { ...after, tenantId, policyId, createdBy: startedBy });
    if (isNew) images.push({ kind: 'policy', rowId: policyId, before: null, after: { ...after } });
  }
  return images;
}
