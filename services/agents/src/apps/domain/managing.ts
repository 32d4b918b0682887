import { emptySpec } from '@botyard/contracts/http/app-spec';
import type { AppDetail } from '@botyard/contracts/http/apps';
import { maxApps } from '@botyard/contracts/http/apps-admin';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { changing } from '../../definitions/domain/changing.ts';
import { enumerate, namesOf } from '../../definitions/domain/references.ts';
import type { Deps } from '../deps.ts';
import {
  type AppKey,
  type AppRow,
  countApps,
  deleteApp,
  insertApp,
  lockAppToDelete,
  updateApp,
} from '../store/apps.ts';
import { type BindingRow, listBindings, listBoundBots } from '../store/bindings.ts';
import { deleteRecordsOf } from '../store/records.ts';
import { getVersion } from '../store/versions.ts';
import { requireApp } from './publishing.ts';

/** An app with its current parts. */
export interface DescribedApp {
  app: AppRow;
  bindings: BindingRow[];
  spec: AppDetail['spec'];
}

const maxShown = 500;

/** @throws HttpError 404. */
export async function describeApp(tx: TenantTx, key: AppKey): Promise<DescribedApp> {
  const app = await requireApp(tx, key);
  const version =
    app.currentVersion === null ? undefined : await getVersion(tx, { ...key, version: app.currentVersion });
  const bindings = (await listBindings(tx, key, { limit: maxShown })).slice(0, maxShown);
  return { app, bindings, spec: version?.spec ?? null };
}

type AppFields = Pick<AppRow, 'name' | 'description'>;

/** Runs under the lock of definitions. @throws HttpError 409 when the tenant has too many. */
export async function addApp(
  tx: TenantTx,
  tenantId: string,
  { templateId = null, ...fields }: AppFields & { templateId?: string | null },
): Promise<AppRow> {
  if ((await countApps(tx, tenantId)) >= maxApps)
    throw conflict(`a tenant has ${maxApps} apps at most: delete one first`);
  const draft = JSON.stringify(emptySpec);
  return await insertApp(tx, { ...fields, tenantId, appId: uuidv7(), templateId, draft });
}

export async function createApp(deps: Deps, tenantId: string, fields: AppFields): Promise<DescribedApp> {
  return await changing(deps, tenantId, async (tx) => ({
    app: await addApp(tx, tenantId, fields),
    bindings: [],
    spec: null,
  }));
}

/** Changes the given fields. @throws HttpError 404. */
export async function renameApp(
  deps: Deps,
  key: AppKey,
  { name, description }: { name?: string | undefined; description?: string | undefined },
): Promise<DescribedApp> {
  return await withTenant(deps.database, [key.tenantId], async (tx) => {
    if (!(await updateApp(tx, key, { name, description }))) throw notFound('app');
    return await describeApp(tx, key);
  });
}

const batchSize = 5000;

/**
 * Deletes an app with its versions and records. Records go in batches, so that other transactions don't wait for long.
 * The next attempt resumes an interrupted deletion. @throws HttpError 404, and 409 that names the bots while the app is
 * bound.
 */
export async function removeApp(deps: Deps, key: AppKey): Promise<void> {
  const remove = () =>
    withTenant(deps.database, [key.tenantId], async (tx) => {
      if (!(await lockAppToDelete(tx, key))) throw notFound('app');
      const bots = await listBoundBots(tx, key);
      if (bots.length > 0)
        throw conflict(`the app is bound: delete its bindings to ${enumerate(namesOf('bot', bots))} first`);
      const isRest = (await deleteRecordsOf(tx, key, batchSize)) < batchSize;
      if (isRest) await deleteApp(tx, key);
      return isRest;
    });
  while (!(await remove()));
}
