import { isDeepStrictEqual } from 'node:util';
import { AppSpec } from '@botyard/contracts/http/app-spec';
import type { AppVersion, SpecFaults } from '@botyard/contracts/http/app-spec-routes';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, invalid, unprocessable } from '@botyard/shared/http/errors';
import { changing } from '../../definitions/domain/changing.ts';
import type { Deps } from '../deps.ts';
import { type AppKey, type AppRow, getApp, lockApp, updateApp, updateDraft } from '../store/apps.ts';
import { getVersion, insertVersion, type VersionRow } from '../store/versions.ts';
import { type Fault, faultsOf, readSpec, whyUnkept } from './spec-faults.ts';
import { missingReferences } from './spec-references.ts';

const maxFaults = 500;

/** @throws HttpError 404 when the tenant has no such app. */
export const requireApp = async (tx: TenantTx, key: AppKey): Promise<AppRow> =>
  found(await getApp(tx, key), 'app');

async function requireLocked(tx: TenantTx, key: AppKey, revision?: number): Promise<AppRow> {
  const app = found(await lockApp(tx, key), 'app');
  if (revision !== undefined && revision !== app.draftRevision)
    throw conflict('the draft has changed since you read it: read it again');
  return app;
}

/**
 * Saves a draft, even one with faults. @throws HttpError 400 when it is too large, 404, 409 for an outdated revision.
 */
export async function saveDraft(
  deps: Deps,
  key: AppKey,
  { spec, revision }: { spec: unknown; revision?: number | undefined },
): Promise<AppRow> {
  const fault = whyUnkept(spec);
  if (fault) throw invalid([{ path: ['spec'], message: fault }]);
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    await requireLocked(tx, key, revision);
    return (await updateDraft(tx, key, JSON.stringify(spec)))!;
  });
}

/** All faults that keep the draft from being published. @throws HttpError 404. */
export async function validateDraft(deps: Deps, key: AppKey): Promise<SpecFaults> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    const { draft, draftRevision } = await requireApp(tx, key);
    const faults = await allFaults(tx, key.tenantId, JSON.parse(draft));
    return { isValid: faults.length === 0, faults, revision: draftRevision };
  });
}

/**
 * Publishes the draft. Running turns keep their version. @throws HttpError 422 with all faults, 404, 409 for an
 * outdated revision.
 */
export async function publishDraft(deps: Deps, key: AppKey, revision?: number): Promise<VersionRow> {
  return await changing(deps, key.tenantId, async (tx) => {
    const app = await requireLocked(tx, key, revision);
    const spec = await requireFaultless(tx, key.tenantId, JSON.parse(app.draft));
    return await release(tx, app, { spec, origin: 'publish' });
  });
}

/** Publishes an earlier version again. @throws HttpError 404, 422 when something that it refers to no longer exists. */
export async function rollBack(deps: Deps, key: AppKey, version: number): Promise<VersionRow> {
  return await changing(deps, key.tenantId, async (tx) => {
    const app = await requireLocked(tx, key);
    const earlier = found(await getVersion(tx, { ...key, version }), 'version');
    const spec = await requireFaultless(tx, key.tenantId, earlier.spec);
    return await release(tx, app, { spec, origin: 'rollback', rolledBackTo: version });
  });
}

/** @throws HttpError 422 with all faults. */
async function requireFaultless(tx: TenantTx, tenantId: string, draft: unknown): Promise<AppSpec> {
  const issues = await allFaults(tx, tenantId, draft);
  if (issues.length === 0) return AppSpec.parse(draft);
  throw unprocessable('the spec has faults', { issues });
}

async function allFaults(tx: TenantTx, tenantId: string, draft: unknown): Promise<Fault[]> {
  const unkept = whyUnkept(draft);
  if (unkept) return [{ path: '', message: unkept }];
  const faults = [...faultsOf(draft), ...(await missingReferences(tx, tenantId, readSpec(draft)))];
  return faults.slice(0, maxFaults);
}

/**
 * Makes a spec the running version. The caller holds locks on the app and on the definitions, so that nothing that the
 * spec refers to can be deleted meanwhile.
 */
export async function release(
  tx: TenantTx,
  app: AppRow,
  { spec, ...published }: { spec: AppSpec; origin: AppVersion['origin']; rolledBackTo?: number },
): Promise<VersionRow> {
  const { tenantId, appId, currentVersion } = app;
  const current =
    currentVersion === null ? undefined : await getVersion(tx, { tenantId, appId, version: currentVersion });
  if (current && isDeepStrictEqual(asKept(current.spec), asKept(spec))) return current;
  const version = app.lastVersion + 1;
  const row = await insertVersion(tx, {
    tenantId,
    appId,
    version,
    spec,
    ...published,
    agentIds: spec.agents.map(({ agentId }) => agentId),
    capabilityIds: spec.capabilities.map(({ capabilityId }) => capabilityId),
  });
  await updateApp(tx, { tenantId, appId }, { currentVersion: version, lastVersion: version });
  return row;
}

/** The spec as read from the database: without undefined fields. */
const asKept = (spec: AppSpec): unknown => JSON.parse(JSON.stringify(spec));
