import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { settleOrganizations } from '../../identity/domain/settle-tenant.ts';
import { listOrganizationsOfTenant, lockIdentities } from '../../identity/store/identities.ts';
import { saveGrants } from '../../identity/store/seats.ts';
import { lockTenant } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import { closeImages, type ImageRow, listImages } from '../store/images.ts';
import {
  deleteMigratedPolicy,
  listSeatsNow,
  type MigratedPolicy,
  mirrorSeats,
  type SeatNow,
} from '../store/rows.ts';
import { lockLiveRun, type RunRow } from '../store/runs.ts';
import type { EdgeImage } from './plan.ts';

type Parts = Pick<Deps, 'database' | 'outbox' | 'log'>;

interface Outcome {
  kind: ImageRow['kind'];
  rowId: string;
  keptReason: string | null;
}

/**
 * Restores one tenant's state from before the run, completely or not at all; later changes by people are kept. Returns
 * `false` when the run is no longer being rolled back.
 */
export async function restoreTenant(deps: Parts, run: RunRow, tenantId: string): Promise<boolean> {
  return await withPlatform(deps.database, 'roll authorization back', async (tx) => {
    const key = { migrationId: run.migrationId, tenantId };
    const held = await lockLiveRun(tx, 'share');
    if (held?.migrationId !== key.migrationId || held.state !== 'rollingBack') return false;
    // Organizations are locked before tenants, in the same order as for the provider's events.
    const organizations = await listOrganizationsOfTenant(tx, tenantId);
    await lockIdentities(tx, 'organization', new Set(organizations));
    if (!(await lockTenant(tx, tenantId))) return true;
    const images = await listImages(tx, key);
    const policies = await restorePolicies(tx, tenantId, ofKind(images, 'policy'));
    const { outcomes, isOutdated } = await restoreEdges(tx, tenantId, ofKind(images, 'edge'));
    await closeImages(tx, key, [...policies, ...outcomes]);
    if (policies.some(({ keptReason }) => keptReason === null)) {
      await deps.outbox.emit(tx, authorizationChanged, { tenantId });
    }
    if (isOutdated) await settleOrganizations(deps, tx, organizations);
    await failpoint('tenancy.policy-rollback.in-batch');
    return true;
  });
}

const ofKind = (images: readonly ImageRow[], kind: ImageRow['kind']) =>
  images.filter((image) => image.kind === kind);

async function restorePolicies(
  tx: PlatformTx,
  tenantId: string,
  images: readonly ImageRow[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { kind, rowId, after } of images) {
    const made = after as unknown as MigratedPolicy;
    const obstacle = await deleteMigratedPolicy(tx, { ...made, tenantId, policyId: rowId });
    outcomes.push({ kind, rowId, keptReason: obstacle && policyReasons[obstacle] });
  }
  return outcomes;
}

const policyReasons = {
  edited: 'the policy was edited since',
  missing: 'the policy was deleted since',
} as const;

/** `isOutdated`: the provider has reported another role meanwhile. */
async function restoreEdges(
  tx: PlatformTx,
  tenantId: string,
  images: readonly ImageRow[],
): Promise<{ outcomes: Outcome[]; isOutdated: boolean }> {
  const ids = images.map(({ rowId }) => rowId);
  const now = new Map((await listSeatsNow(tx, tenantId, ids)).map((seat) => [seat.userId, seat]));
  const outcomes = images.map(({ kind, rowId, after }) => ({
    kind,
    rowId,
    keptReason: edgeReason(now.get(rowId), after as unknown as EdgeImage),
  }));
  const restorable = new Set(
    outcomes.filter(({ keptReason }) => keptReason === null).map(({ rowId }) => rowId),
  );
  const restored = images
    .filter(({ rowId }) => restorable.has(rowId))
    .map(({ rowId, before }) => ({ userId: rowId, ...(before as unknown as EdgeImage) }));
  await mirrorSeats(tx, tenantId, restored);
  // Resets the provider's last report, so that it is processed again and takes effect.
  const outdated = restored.filter(({ userId, grantedRole }) => now.get(userId)?.grantedRole !== grantedRole);
  await saveGrants(tx, tenantId, new Map(outdated.map(({ userId, grantedRole }) => [userId, grantedRole])));
  return { outcomes, isOutdated: outdated.length > 0 };
}

function edgeReason(now: SeatNow | undefined, made: EdgeImage): string | null {
  if (!now) return 'the membership was removed since';
  if (now.edgeId !== made.edgeId) return 'the membership was created again since';
  if (now.role !== made.role) return 'the role was changed since';
  return now.source === made.source ? null : 'the membership is already mirrored again';
}
