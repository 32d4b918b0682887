import { type TenantTx, withPlatform, withTenant } from '@botyard/shared/db/database';
import { Unreadable } from '@botyard/shared/files/documents/sections';
import { HttpError } from '@botyard/shared/http/errors';
import { type CountedWarning, createCountedWarning } from '@botyard/shared/log/counted-warning';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Foundation } from '@botyard/shared/service/foundation';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Worker } from '@botyard/shared/work/worker';
import { lockSources, sumSources } from '../store/context-sources.ts';
import {
  type ClaimedSource,
  claimSources,
  endReading,
  getOriginal,
  isSourceDue,
  leaseSeconds,
  type NewChunk,
  releaseReading,
  renewReading,
  replaceChunks,
} from '../store/reading.ts';
import { readApart } from './read-apart.ts';

/** Reads documents in the background. */
export interface DocumentReader extends Worker {
  wake: () => void;
}

const maxConcurrent = 2;
const renewEveryMs = (leaseSeconds * 1000) / 3;
const maxAttempts = 3;
const retryWaitMs = 1000;
const maxPassagesOfTenant = 20_000;

type Parts = Pick<Foundation, 'database' | 'due' | 'log' | 'stalls'>;
type ReadingParts = Parts & { warnOfRenewal: CountedWarning };

/** Thrown when this process stops or the document's claim was lost. */
class LetGo extends Error {}

/**
 * Processes pending documents. If a reader dies, its lease expires and another one continues. After three deaths the
 * document is abandoned, since it may be the cause.
 */
export function createDocumentReader(parts: Parts): DocumentReader {
  const stopping = new AbortController();
  const warnOfRenewal = createCountedWarning(parts.log, 'a lease could not be renewed');
  const loop = new ClaimLoop<ClaimedSource>({
    name: 'documents',
    maxConcurrent,
    claim: (limit) => withPlatform(parts.database, 'documents to be read', (tx) => claimSources(tx, limit)),
    run: async (claimed) => {
      const waitMs = await work({ ...parts, warnOfRenewal }, claimed, stopping.signal);
      if (waitMs !== undefined) loop.wakeIn(waitMs);
    },
    log: parts.log,
    stalls: parts.stalls,
  });
  parts.due.add({ name: 'documents', isDue: isSourceDue, wake: () => loop.wake() });
  return {
    start: () => loop.start(),
    stop: async () => {
      stopping.abort(new LetGo());
      await loop.stop();
    },
    wake: () => loop.wake(),
  };
}

/** Returns the milliseconds until the next attempt, if there is one. */
async function work(
  parts: ReadingParts,
  claimed: ClaimedSource,
  stopping: AbortSignal,
): Promise<number | undefined> {
  const { database, log, warnOfRenewal } = parts;
  const lost = new AbortController();
  const inTenant = <Result>(run: (tx: TenantTx) => Promise<Result>) =>
    withTenant(database, [claimed.tenantId], run);
  const renewal = setInterval(() => {
    inTenant((tx) => renewReading(tx, claimed))
      .then((isHeld) => isHeld || lost.abort(new LetGo()))
      .catch((error: unknown) => warnOfRenewal(withoutSecrets(String(error))));
  }, renewEveryMs);
  try {
    if (claimed.attempts > maxAttempts) throw new Unreadable('The document could not be read.');
    const bytes = await inTenant((tx) => getOriginal(tx, claimed));
    if (!bytes) return undefined;
    const chunks = await readApart({ ...claimed, bytes }, AbortSignal.any([stopping, lost.signal]));
    await failpoint('agents.document.read');
    await inTenant((tx) => keep(tx, claimed, chunks));
  } catch (error) {
    if (error instanceof Unreadable) {
      await inTenant((tx) => endReading(tx, claimed, { lastError: error.message }));
      return undefined;
    }
    const isTry = !(error instanceof LetGo) && !(error instanceof HttpError && error.status === 503);
    if (isTry) log.error({ err: error, sourceId: claimed.sourceId }, 'a document could not be read');
    const waitMs = error instanceof LetGo ? 0 : retryWaitMs;
    await inTenant((tx) => releaseReading(tx, claimed, { waitMs, isTry }));
    return waitMs;
  } finally {
    clearInterval(renewal);
  }
  return undefined;
}

/** Replaces all passages in one transaction: a search finds either the old or the new ones. */
async function keep(tx: TenantTx, claimed: ClaimedSource, chunks: readonly NewChunk[]): Promise<void> {
  await replaceChunks(tx, claimed, chunks);
  await lockSources(tx, claimed.tenantId);
  if (!(await endReading(tx, claimed, { chunkCount: chunks.length }))) throw new LetGo();
  const { chunks: inAll } = await sumSources(tx, claimed.tenantId);
  if (inAll > maxPassagesOfTenant)
    throw new Unreadable("A tenant's documents can have at most 20,000 passages: delete a document first.");
}
