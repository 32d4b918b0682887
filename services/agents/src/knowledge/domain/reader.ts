import type { SourceType } from '@botyard/contracts/http/context-sources';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { type ReadingLimits, runApart } from '@botyard/shared/files/documents/run-apart';
import { Unreadable } from '@botyard/shared/files/documents/sections';
import { isUnavailable } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Foundation } from '@botyard/shared/service/foundation';
import { LeasedQueue, LeaseLost } from '@botyard/shared/work/leased-queue/leased-queue';
import { lockSources, sumSources } from '../store/context-sources.ts';
import {
  type ClaimedSource,
  endReading,
  getOriginal,
  type NewChunk,
  releaseReading,
  replaceChunks,
  sourceQueue,
} from '../store/reading.ts';

const maxAttempts = 3;
const retryWaitMs = 1000;
const maxPassagesOfTenant = 20_000;

/**
 * Processes pending documents. If a reader dies, its lease expires and another one continues. After three deaths the
 * document is abandoned, since it may be the cause.
 */
export function createDocumentReader(parts: Foundation): LeasedQueue<ClaimedSource> {
  const queue = new LeasedQueue(parts, {
    name: 'documents',
    table: sourceQueue,
    // Two in all: one tenant's slow documents hold one slot, and leave the other to the next tenant.
    slots: 1,
    share: 1,
    run: async (claimed, { signal }) => {
      const waitMs = await read(parts, claimed, signal);
      if (waitMs !== undefined) queue.wake(waitMs);
    },
  });
  return queue;
}

/** Returns the milliseconds until the next attempt, if there is one. */
async function read(
  { database, log }: Foundation,
  claimed: ClaimedSource,
  signal: AbortSignal,
): Promise<number | undefined> {
  const inTenant = <Result>(run: (tx: TenantTx) => Promise<Result>) =>
    withTenant(database, [claimed.tenantId], run);
  try {
    if (claimed.attempts > maxAttempts) throw new Unreadable('The document could not be read.');
    const bytes = await inTenant((tx) => getOriginal(tx, claimed));
    if (!bytes) return undefined;
    const chunks = await readApart({ ...claimed, bytes }, signal);
    await failpoint('agents.document.read');
    await inTenant((tx) => keep(tx, claimed, chunks));
  } catch (error) {
    if (error instanceof Unreadable) {
      await inTenant((tx) => endReading(tx, claimed, { lastError: error.message }));
      return undefined;
    }
    const isLetGo = signal.aborted || error instanceof LeaseLost;
    const isTry = !isLetGo && !isUnavailable(error);
    if (isTry) log.error({ err: error, sourceId: claimed.sourceId }, 'a document could not be read');
    const waitMs = isLetGo ? 0 : retryWaitMs;
    await inTenant((tx) => releaseReading(tx, claimed, { waitMs, isTry }));
    return waitMs;
  }
  return undefined;
}

/** Replaces all passages in one transaction: a search finds either the old or the new ones. */
async function keep(tx: TenantTx, claimed: ClaimedSource, chunks: readonly NewChunk[]): Promise<void> {
  await replaceChunks(tx, claimed, chunks);
  await lockSources(tx, claimed.tenantId);
  if (!(await endReading(tx, claimed, { chunkCount: chunks.length }))) throw new LeaseLost();
  const { chunks: inAll } = await sumSources(tx, claimed.tenantId);
  if (inAll > maxPassagesOfTenant)
    throw new Unreadable("A tenant's documents can have at most 20,000 passages: delete a document first.");
}

export const readingLimits: ReadingLimits = { timeoutMs: 20_000, maxMegabytes: 256 };

/**
 * Reads a document's passages in a process of its own. @throws Unreadable, and the signal's reason if it is aborted.
 */
export function readApart(
  document: { type: SourceType; bytes: Buffer },
  signal: AbortSignal,
  limits: ReadingLimits = readingLimits,
): Promise<NewChunk[]> {
  const { type, bytes } = document;
  return runApart(new URL('./read-process.ts', import.meta.url), { type, bytes }, { signal, limits });
}
