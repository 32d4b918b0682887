import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { unavailable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { findEndpoint } from '../../../../../endpoints/store/endpoints.ts';
import { dropFiles, keepFiles, type PostedFile } from '../../../../../files/domain/keep-files.ts';
import { retryingLockConflicts } from '../../../../../files/domain/retrying-lock-conflicts.ts';
import type { Deps } from '../../../deps.ts';
import { findMailByMessageId, isKnownSinceYesterday } from '../../../store/inbound.ts';
import { lookUpToken } from '../../../store/tokens.ts';
import { type MailForm, sizeOfFields } from '../mail-form.ts';
import { withoutPlus } from '../read/addresses.ts';
import type { PostedMail } from '../read/read-mail.ts';
import { admitMail } from './admit-mail.ts';
import type { AdmitDeps, Arrived, Received } from './arrived.ts';
import type { Receiver } from './find-receiver.ts';
import { judge } from './verdict.ts';

type ReceiveDeps = AdmitDeps & Pick<Deps, 'admissionDatabase' | 'objects' | 'texts'>;

/**
 * Admits a post to a mailbox whose key verified it (REQ-HOOK-3). Resolves after the commit. Files are written before
 * the mail, and removed if the mail isn't stored.
 * @throws HttpError 503 when the database or the store doesn't answer.
 */
export async function receiveMail(
  deps: ReceiveDeps,
  receiver: Receiver,
  { form, files: posted }: { form: MailForm; files: readonly PostedFile[] },
): Promise<Received> {
  const { mail, digest } = await readOrFail(deps, receiver.mailbox.tenantId, {
    fields: form.fields,
    files: posted.map(({ name, file }) => ({ name, sha256: file.sha256 })),
  });
  const { allowedLists } = receiver.mailbox;
  const isOwn = await isOwnAddress(deps, mail.from?.address);
  const verdict = judge(mail, { isOwnAddress: isOwn, allowedLists });
  const arrived = { receiver, mailId: uuidv7(), mail, digest, verdict };
  const earlierReceipt = posted.length > 0 ? await lookUp(deps, arrived) : undefined;
  if (earlierReceipt) return earlierReceipt;
  if (verdict.kind === 'ignored') return await commit(deps, { ...arrived, files: [] });
  return await receiveWithFiles(deps, arrived, posted);
}

/** A mail that takes too long to read comes again. */
async function readOrFail({ texts }: Pick<Deps, 'texts'>, owner: string, posted: PostedMail) {
  const read = await texts.read('readPosted', posted, { owner, sizeBytes: sizeOfFields(posted.fields) });
  if (!read) throw unavailable('too much mail is being read: try again later');
  return read;
}

async function receiveWithFiles(
  deps: ReceiveDeps,
  arrived: Omit<Arrived, 'files'>,
  posted: readonly PostedFile[],
): Promise<Received> {
  const { tenantId } = arrived.receiver.mailbox;
  const owner = { tenantId, mailId: arrived.mailId };
  const { inlineFields } = arrived.mail;
  const fileDeps = { ...deps, database: deps.admissionDatabase };
  let received: Received | undefined;
  try {
    const files = await keepFiles(fileDeps, owner, { files: posted, inlineFields });
    received = await commit(deps, { ...arrived, files });
    return received;
  } finally {
    const isTaken = received?.verdict === 'accepted' || received?.verdict === 'held';
    if (posted.length > 0 && !isTaken) await dropFiles(fileDeps, owner);
  }
}

const commit = (deps: ReceiveDeps, arrived: Arrived): Promise<Received> =>
  retryingLockConflicts(deps.admissionDatabase, arrived.receiver.mailbox.tenantId, (tx) =>
    admitMail(deps, tx, arrived),
  );

/** Detects repeated deliveries before files are written. The transaction checks again. */
async function lookUp(
  { admissionDatabase }: ReceiveDeps,
  { receiver, mail, digest }: Omit<Arrived, 'files'>,
): Promise<Received | undefined> {
  const { tenantId, botId } = receiver.mailbox;
  const { messageId } = mail;
  return await withTenant(admissionDatabase, [tenantId], async (tx) => {
    const { token } = receiver;
    const use = token === null ? 'fresh' : await lookUpToken(tx, { tenantId, botId, token, digest });
    if (use !== 'fresh')
      return { verdict: use === 'other' ? 'replay' : 'duplicate', reason: 'token' } as const;
    const direction = await findMailByMessageId(tx, { tenantId, botId, messageId });
    const isOfYesterday =
      mail.withoutId !== null &&
      (await isKnownSinceYesterday(tx, { tenantId, botId, messageId: mail.withoutId.yesterday }));
    return direction === 'in' || isOfYesterday
      ? ({ verdict: 'duplicate', reason: 'Message-Id' } as const)
      : undefined;
  });
}

/** True for an address of any bot, of any tenant. Uses local data only, because it runs for every sender. */
async function isOwnAddress(
  { admissionDatabase }: ReceiveDeps,
  address: string | undefined,
): Promise<boolean> {
  if (address === undefined) return false;
  const wanted = { address: withoutPlus(address) };
  return (
    (await withPlatform(admissionDatabase, 'own address', (tx) => findEndpoint(tx, wanted))) !== undefined
  );
}
