import type {
  migrationsRouter,
  PolicyMigration,
  PolicyMigrationRow,
} from '@botyard/contracts/http/migrations';
import { pageOf } from '@botyard/contracts/http/page';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { type PlannedChange, placeOf, previewMigration } from '../domain/plan.ts';
import { executeMigration, rollbackMigration } from '../domain/runs.ts';
import { getMigrationStatus, type MigrationStatus } from '../domain/status.ts';

export const migrationsHandlers: Handlers<typeof migrationsRouter, Deps> = {
  getPolicyMigration: async (_input, deps) => toStatus(await getMigrationStatus(deps)),

  previewPolicyMigration: async ({ query }, deps) =>
    pageOf(await previewMigration(deps, query), query, toRow, placeOf),

  executePolicyMigration: async ({ caller }, deps) => {
    const started = await executeMigration(deps, caller);
    return { started, ...toStatus(await getMigrationStatus(deps)) };
  },

  rollbackPolicyMigration: async (_input, deps) => {
    const started = await rollbackMigration(deps);
    return { started, ...toStatus(await getMigrationStatus(deps)) };
  },
};

const toMoment = (at: Date | null | undefined): string | null => at?.toISOString() ?? null;

function toStatus({ run, pending, counts, keptRows }: MigrationStatus): PolicyMigration {
  const countOf = (what: 'done' | 'restored' | 'kept') => ({
    edges: counts.find(({ kind }) => kind === 'edge')?.[what] ?? 0,
    policies: counts.find(({ kind }) => kind === 'policy')?.[what] ?? 0,
  });
  return {
    migrationId: run?.migrationId ?? null,
    state: run?.state ?? 'none',
    pending,
    done: countOf('done'),
    restored: countOf('restored'),
    kept: countOf('kept'),
    keptRows: keptRows.map(({ tenantId, kind, rowId, keptReason }) => ({
      tenantId,
      kind,
      subject: `${kind === 'edge' ? 'user' : 'policy'}:${rowId}`,
      reason: keptReason ?? '',
    })),
    startedAt: toMoment(run?.startedAt),
    finishedAt: toMoment(run?.finishedAt),
    rolledBackAt: toMoment(run?.rolledBackAt),
    lastError: run?.lastError ?? null,
  };
}

function toRow(change: PlannedChange): PolicyMigrationRow {
  const { tenantId, subject, relation, object } = change;
  const same = { tenantId, subject, relation, object };
  if (change.kind === 'edge') {
    return { ...same, kind: 'edge', change: 'convert', before: change.before, after: change.after };
  }
  const { isEnabled: enabled, ...policy } = change.after;
  return { ...same, kind: 'policy', change: 'create', before: null, after: { ...policy, enabled } };
}
