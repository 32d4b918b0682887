import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { Unreadable } from '@botyard/shared/files/documents/sections';
import { isUnavailable } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { inTraceOf } from '@botyard/shared/tracing/spans';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import type { ReadText } from '../../../../files/domain/extract-texts.ts';
import { type AttachmentRow, listAttachments, saveText } from '../../../../files/store/attachments.ts';
import type { Deps } from '../../deps.ts';
import {
  type ClaimedReading,
  endReading,
  getMail,
  readingQueue,
  releaseReading,
} from '../../store/mail-readings.ts';
import { lockThread } from '../../store/threads.ts';
import { admitAll } from './pass-on.ts';

/** The most mails of a tenant in a process, while others wait. `TextExtraction` reads few documents at a time. */
const maxOfTenant = 2;
const slots = 10;
/** The most attempts. Then the mail is passed on without the texts that are missing. */
const maxTries = 5;

/**
 * Reads the documents of stored mails and passes these on as messages, each thread's in order. If the process is
 * killed, the next one continues with the first document that isn't read.
 */
export const createMailReading = (deps: Deps): LeasedQueue<ClaimedReading> =>
  new LeasedQueue(deps, {
    name: 'documents of mails',
    table: readingQueue,
    slots,
    share: maxOfTenant,
    run: (reading, { signal }) => readMail(deps, reading, signal),
  });

async function readMail(deps: Deps, reading: ClaimedReading, signal: AbortSignal): Promise<void> {
  const { tenantId, mailId, attempts } = reading;
  const inTenant = <Result>(work: (tx: TenantTx) => Promise<Result>) =>
    withTenant(deps.database, [tenantId], work);
  const about = { tenantId, mailId, attempts };
  try {
    await inTraceOf(reading, { name: 'read documents', kind: 'consumer' }, async () => {
      const { isComplete } = await readNext(deps, reading, signal);
      await failpoint('webhooks.mail-reading.before-commit');
      if (isComplete) await inTenant((tx) => endAndPassOn(deps, tx, reading));
      else await inTenant((tx) => releaseReading(tx, reading, { waitMs: 0, isCounted: false }));
    });
    // For its next document, or the next mail of its thread.
    deps.wakeMailReading();
  } catch (error) {
    const isStopping = signal.aborted;
    // An outage of the database or the object store isn't the document's fault.
    const isOutage = isStopping || isUnavailable(error);
    if (!isStopping) deps.log.warn({ err: error, ...about }, 'could not read the documents of a mail');
    const waitMs = isStopping ? 0 : backoffMs(attempts);
    await inTenant((tx) => releaseReading(tx, reading, { waitMs, isCounted: !isOutage }));
  }
}

/**
 * Reads the first document that isn't read yet. The mail is claimed again for the next one, so that ten slow documents
 * of one mail hold no place for longer than one. Bytes beyond the tenant's storage are removed at the end.
 */
async function readNext(
  deps: Deps,
  reading: ClaimedReading,
  signal: AbortSignal,
): Promise<{ isComplete: boolean }> {
  const { tenantId, mailId } = reading;
  const files = await withTenant(deps.database, [tenantId], (tx) => listAttachments(tx, tenantId, [mailId]));
  const [next, ...others] = files.filter(({ textMissing }) => textMissing === 'waiting');
  if (next) {
    const text = await textOf(deps, reading, next, signal);
    await withTenant(deps.database, [tenantId], (tx) => saveText(tx, { ...next, ...text }));
  }
  if (others.length > 0) return { isComplete: false };
  for (const { objectKey, missingReason } of files)
    if (missingReason === 'storage_full') await deps.objects.remove(objectKey);
  return { isComplete: true };
}

async function textOf(
  deps: Deps,
  { attempts }: ClaimedReading,
  { tenantId, objectKey, mediaType, sizeBytes }: AttachmentRow,
  signal: AbortSignal,
): Promise<ReadText> {
  if (attempts > maxTries) return { extractedText: null, textMissing: 'unreadable' };
  const bytes = async (most = sizeBytes) => {
    const content = await deps.objects.get(objectKey);
    if (!content) throw new Unreadable('The document is no longer stored.');
    try {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of content as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= most) break;
      }
      return Buffer.concat(chunks).subarray(0, most);
    } finally {
      content.destroy();
    }
  };
  return await deps.textExtraction.read(tenantId, { mediaType, sizeBytes, bytes }, signal);
}

async function endAndPassOn(deps: Deps, tx: TenantTx, reading: ClaimedReading): Promise<void> {
  const { tenantId, mailId } = reading;
  const thread = await lockThread(tx, reading);
  const ended = await endReading(tx, reading);
  const mail = await getMail(tx, { tenantId, mailId });
  if (!ended || ended.isHeld || !thread || !mail?.admittedAt) return;
  const { integrationId, sentAt } = ended;
  const { admittedAt, isAutomatic, reason } = mail;
  const files = await listAttachments(tx, tenantId, [mailId]);
  const spoken = {
    ...mail,
    ...(isAutomatic && reason !== null ? { automaticReason: reason } : {}),
    admittedAt,
    files,
    sentAt: sentAt.toISOString(),
  };
  await admitAll(deps, tx, [{ thread, integrationId, mail: spoken }]);
}
