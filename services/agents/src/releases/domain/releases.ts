import { releaseChanged } from '@botyard/contracts/events/agents-releases';
import type { DataOf } from '@botyard/contracts/events/definition';
import type { StartReleaseBody } from '@botyard/contracts/http/definitions-agent-releases';
import { type Page, type PageRequest, pageOfRows } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { changing } from '../../definitions/domain/changing.ts';
import { requireDefinition } from '../../definitions/domain/definitions.ts';
import { keepDraftAsVersion } from '../../definitions/domain/drafts.ts';
import { keepCurrentVersion } from '../../definitions/domain/keep-version.ts';
import { restoreVersion } from '../../definitions/domain/versions.ts';
import { getWholeVersion } from '../../definitions/domain/whole-version.ts';
import type { DefinitionKey } from '../../definitions/store/definitions.ts';
import type { Deps } from '../deps.ts';
import {
  endRelease,
  getRelease,
  insertChange,
  insertRelease,
  listReleases,
  lockRelease,
  type ReleaseRow,
  saveShare,
  type WholeRelease,
  withChanges,
} from '../store/releases.ts';

type Store = Pick<Deps, 'database'>;
type WithdrawnByRule = NonNullable<DataOf<typeof releaseChanged>['withdrawnByRule']>;

const whole = async (tx: TenantTx, release: ReleaseRow): Promise<WholeRelease> =>
  (await withChanges(tx, release.tenantId, [release]))[0]!;

/** Starts a release. @throws HttpError 404, 409. */
export async function startRelease(
  deps: Deps,
  { key, by, body }: { key: DefinitionKey; by: string; body: StartReleaseBody },
): Promise<WholeRelease> {
  const { draft, share, ...rest } = body;
  return await changing(deps, key.tenantId, async (tx) => {
    const version = draft ? await keepDraftAsVersion(deps, tx, key, by) : rest.version!;
    const live = await requireDefinition(tx, 'agent', key);
    if (live.version === version) throw conflict(`version ${version} is live: it needs no release`);
    const { parts } = found(await getWholeVersion(tx, key, version), 'version');
    if (!parts)
      throw conflict(`the tools of version ${version} are not kept: restore it in place of a release`);
    await keepCurrentVersion(tx, live);
    const row = { ...rest, share, version, tenantId: key.tenantId, agentId: key.id, createdBy: by };
    const release = await insertRelease(tx, row);
    const { tenantId, releaseId } = release;
    await insertChange(tx, { tenantId, releaseId, kind: 'started', share, reason: null, userId: by });
    await announceRelease(deps.outbox, tx, release);
    return await whole(tx, release);
  });
}

/** @throws HttpError 404. */
export async function readReleases(
  { database }: Store,
  key: DefinitionKey,
  page: PageRequest,
): Promise<Page<WholeRelease>> {
  const { tenantId, id: agentId } = key;
  return await withTenant(database, [tenantId], async (tx) => {
    await requireDefinition(tx, 'agent', key);
    const rows = await withChanges(tx, tenantId, await listReleases(tx, { tenantId, agentId }, page));
    return pageOfRows(rows, page, ({ releaseId }) => releaseId);
  });
}

interface AgentReleaseKey {
  tenantId: string;
  agentId: string;
  releaseId: string;
}

/** @throws HttpError 404. */
export async function readRelease({ database }: Store, key: AgentReleaseKey): Promise<WholeRelease> {
  return await withTenant(database, [key.tenantId], async (tx) =>
    whole(tx, found(await getRelease(tx, key), 'release')),
  );
}

interface End {
  key: AgentReleaseKey;
  /** The user who ends it; `null` for Botyard itself. */
  by: string | null;
  reason?: string | undefined;
}

/** Ends a release in favor of the live version. @throws HttpError 404, 409 when it has ended. */
export async function withdrawRelease(deps: Deps, { key, by, reason }: End): Promise<WholeRelease> {
  await withTenant(deps.database, [key.tenantId], async (tx) => {
    const release = await lockRunning(tx, key);
    await endLockedRelease(deps, tx, release, { state: 'withdrawn', share: 0, by, reason });
  });
  return await readRelease(deps, key);
}

/**
 * Makes the candidate the live version, as a new version of the agent. @throws HttpError 404, 409 when the release has
 * ended or the agent's tests don't allow it, or 400 and 422 as a rollback.
 */
export async function promoteRelease(
  deps: Deps,
  { key, by, reason, overrideReason }: End & { by: string; overrideReason?: string | undefined },
): Promise<WholeRelease> {
  const { tenantId, agentId: id } = key;
  const { version } = await readRelease(deps, key);
  await restoreVersion(deps, {
    key: { tenantId, id },
    version,
    by,
    overrideReason,
    begin: async (tx) => {
      const release = await lockRunning(tx, key);
      await endLockedRelease(deps, tx, release, { state: 'promoted', share: 100, by, reason });
    },
  });
  return await readRelease(deps, key);
}

async function lockRunning(tx: TenantTx, key: AgentReleaseKey): Promise<ReleaseRow> {
  found(await getRelease(tx, key), 'release');
  const release = found(await lockRelease(tx, key), 'release');
  if (release.state !== 'running') throw conflict(`the release is ${release.state}`);
  return release;
}

/** Ends a running release, with its row in the audit, and announces it. */
export async function endLockedRelease(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  release: ReleaseRow,
  {
    by,
    reason,
    withdrawnByRule,
    ...how
  }: Pick<ReleaseRow, 'share'> & {
    state: 'withdrawn' | 'promoted';
    by: string | null;
    reason?: string | undefined;
    withdrawnByRule?: WithdrawnByRule;
  },
): Promise<void> {
  const { tenantId, releaseId } = release;
  const { state: kind, share } = how;
  await endRelease(tx, release, { ...how, reason: reason ?? null });
  await insertChange(tx, { tenantId, releaseId, kind, share, reason: reason ?? null, userId: by });
  await announceRelease(outbox, tx, { ...release, ...how, reason: reason ?? null }, withdrawnByRule);
}

/** Raises the share of a running release to that of its next step, and announces it. */
export async function raiseLockedRelease(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: TenantTx,
  release: ReleaseRow,
  share: number,
): Promise<void> {
  const { tenantId, releaseId } = release;
  await saveShare(tx, release, share);
  await insertChange(tx, { tenantId, releaseId, kind: 'raised', share, reason: null, userId: null });
  await announceRelease(outbox, tx, { ...release, share });
}

const announceRelease = (
  outbox: Deps['outbox'],
  tx: TenantTx,
  { tenantId, agentId, releaseId, version, share, state, reason }: ReleaseRow,
  withdrawnByRule?: WithdrawnByRule,
): Promise<void> =>
  outbox.emit(tx, releaseChanged, {
    tenantId,
    agentId,
    releaseId,
    version,
    share,
    state,
    reason,
    ...(withdrawnByRule && { withdrawnByRule }),
  });
