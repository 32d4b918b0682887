import type {
  ArchiveBody,
  ArchiveConfig,
  ArchiveConfigBody,
  ArchiveJob,
} from '@botyard/contracts/http/archival';
import { withMoments } from '@botyard/contracts/http/common';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, invalid } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { requireBotEver } from '../../conversations/domain/known-bot.ts';
import { getConversationByChat } from '../../conversations/store/chats.ts';
import type { Deps } from '../deps.ts';
import { cancelJob, getJob, insertJob, type JobRow, type JobWithChat } from '../store/jobs.ts';
import {
  getArchiveSettings,
  lockArchiveSettings,
  type Retention,
  saveArchiveSettings,
} from '../store/settings.ts';

const dayMs = 86_400_000;
/** Applies while nothing is configured. */
const usual: Retention = {
  isEnabled: false,
  archiveAfterDays: 30,
  trimAfterDays: null,
  deleteAfterDays: null,
};

export type ArchiveDeps = Pick<Deps, 'bus' | 'database' | 'objects'>;

/**
 * Works on a job until it is done or the signal is aborted. Resolves with `false` when the rest is left for later or
 * for another worker.
 */
export type Work = (deps: ArchiveDeps, job: JobRow, signal: AbortSignal) => Promise<boolean>;

/** The retention settings of a tenant. */
export async function readConfig(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
): Promise<ArchiveConfig> {
  return await withTenant(database, [tenantId], async (tx) =>
    toConfig(await getArchiveSettings(tx, tenantId)),
  );
}

/** @throws HttpError 400 when messages would leave one place before they reach the next. */
export async function changeConfig(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  { enabled, ...change }: ArchiveConfigBody,
): Promise<ArchiveConfig> {
  return await withTenant(database, [tenantId], async (tx) => {
    await lockArchiveSettings(tx, tenantId);
    const old = (await getArchiveSettings(tx, tenantId)) ?? usual;
    const changedFields = Object.fromEntries(
      Object.entries(change).filter(([, value]) => value !== undefined),
    );
    const { isEnabled, archiveAfterDays, trimAfterDays, deleteAfterDays } = { ...old, ...changedFields };
    const settings = { isEnabled: enabled ?? isEnabled, archiveAfterDays, trimAfterDays, deleteAfterDays };
    refuseWrongOrder(settings);
    await saveArchiveSettings(tx, tenantId, settings);
    return toConfig(await getArchiveSettings(tx, tenantId));
  });
}

function refuseWrongOrder({ archiveAfterDays, trimAfterDays, deleteAfterDays }: Retention): void {
  if (trimAfterDays !== null && trimAfterDays < archiveAfterDays)
    throw invalid([{ path: ['trimAfterDays'], message: 'must not be less than `archiveAfterDays`' }]);
  if (deleteAfterDays === null) return;
  if (trimAfterDays === null || deleteAfterDays < trimAfterDays)
    throw invalid([
      { path: ['deleteAfterDays'], message: 'needs `trimAfterDays`, and must not be less than that' },
    ]);
}

const toConfig = (row: (Retention & { updatedAt?: Date }) | undefined): ArchiveConfig => {
  const { isEnabled, archiveAfterDays, trimAfterDays, deleteAfterDays } = row ?? usual;
  return {
    enabled: isEnabled,
    archiveAfterDays,
    trimAfterDays,
    deleteAfterDays,
    updatedAt: row?.updatedAt?.toISOString() ?? null,
  };
};

type Starter = { tenantId: string; userId: string };

/**
 * @throws HttpError 400, 404 for a bot or chat that isn't the tenant's, 409 while another job of this kind is active.
 */
export async function startJob(
  deps: Pick<Deps, 'bus' | 'database' | 'wakeArchivist'>,
  { tenantId, userId }: Starter,
  kind: JobRow['kind'],
  wanted: ArchiveBody = {},
): Promise<ArchiveJob> {
  if (wanted.botId) await requireBotEver(deps, tenantId, wanted.botId);
  return await withTenant(deps.database, [tenantId], async (tx) => {
    const settings = (await getArchiveSettings(tx, tenantId)) ?? usual;
    const conversationId = wanted.chatId ? await conversationOf(tx, tenantId, wanted.chatId) : null;
    const key = { tenantId, jobId: uuidv7() };
    const before = beforeOf(kind, settings, wanted.before);
    await insertJob(tx, {
      ...key,
      kind,
      botId: wanted.botId ?? null,
      conversationId,
      before,
      createdBy: userId,
    });
    tx.afterCommit(deps.wakeArchivist);
    return toJob((await getJob(tx, key))!);
  });
}

async function conversationOf(tx: TenantTx, tenantId: string, chatId: string): Promise<string> {
  return found(await getConversationByChat(tx, tenantId, chatId), 'chat').conversationId;
}

function beforeOf(kind: JobRow['kind'], settings: Retention, wanted: string | undefined): Date {
  if (wanted !== undefined) {
    if (Date.parse(wanted) > Date.now())
      throw invalid([{ path: ['before'], message: 'must not be in the future' }]);
    return new Date(wanted);
  }
  const days = kind === 'archive' ? settings.archiveAfterDays : settings.trimAfterDays;
  if (kind === 'trim' && days === null)
    throw invalid([{ path: ['before'], message: 'is required while `trimAfterDays` is not configured' }]);
  return new Date(Date.now() - (kind === 'check' ? 0 : (days ?? 0) * dayMs));
}

/** @throws HttpError 404, or 409 when it has already ended. */
export async function cancel(
  { database }: Pick<Deps, 'database'>,
  key: { tenantId: string; jobId: string },
): Promise<ArchiveJob> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    const isCancelled = await cancelJob(tx, key);
    const job = found(await getJob(tx, key), 'job');
    if (!isCancelled) throw conflict('the job is over: start another one instead');
    return toJob(job);
  });
}

export const toJob = ({ job, chatId }: JobWithChat): ArchiveJob => {
  const { messagesTotal, messagesDone, filesDone, bytesDone } = job;
  const progress = { messagesTotal, messagesDone, filesDone, bytesDone };
  return withMoments({ ...job, chatId, progress, faults: job.faults.slice(0, 100) });
};
