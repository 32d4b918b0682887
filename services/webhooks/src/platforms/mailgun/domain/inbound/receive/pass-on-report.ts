import type { TenantTx } from '@botyard/shared/db/database';
import type { KeptFile } from '../../../../../files/domain/keep-files.ts';
import type { Deps } from '../../../deps.ts';
import { findAnsweredMail } from '../../../store/inbound.ts';
import { noteBounce } from '../../outbound/bounces.ts';
import { bracketedIdsIn, messageIdsIn } from '../read/message-ids.ts';
import type { ReadMail } from '../read/read-mail.ts';
import { readReport } from './delivery-report.ts';
import { answeredIds } from './find-or-begin-thread.ts';
import type { Receiver } from './find-receiver.ts';

const maxUnitsOfReport = 100_000;
/** The Message-Id in the headers of the returned mail, which may name earlier mails before it. */
const returnedId = /^(?:original-)?message-id:\s{0,20}<?[^\s<>]{1,900}>?/gim;

/**
 * Handles a report that one of the bot's mails did not arrive. It has to name the Message-Id of a sent mail, so that a
 * forged report can't block an address. Returns why the report itself is ignored as a message, and its thread.
 */
export async function passOnReport(
  deps: Pick<Deps, 'outbox' | 'wakeSender'>,
  tx: TenantTx,
  { mail, receiver, files }: { mail: ReadMail; receiver: Receiver; files: readonly KeptFile[] },
): Promise<{ reason: string; threadId?: string }> {
  const { tenantId, botId } = receiver.mailbox;
  const parts = [mail.originalText ?? mail.text, ...files.map(({ extractedText }) => extractedText ?? '')];
  const text = parts.join('\n').slice(0, maxUnitsOfReport);
  const returned = (text.match(returnedId) ?? []).flatMap((line) =>
    messageIdsIn(line.slice(line.indexOf(':') + 1)),
  );
  const messageIds = [...new Set([...answeredIds(mail), ...returned, ...bracketedIdsIn(text)])];
  const answered = await findAnsweredMail(tx, { tenantId, botId, messageIds });
  if (!answered) return { reason: 'report' };
  const { messageId, recipient: address, threadId } = answered;
  const { hasFailed, reason } = readReport(text, { subject: mail.subject, recipient: address });
  if (!hasFailed) return { reason: 'mail on its way', threadId };
  await noteBounce(deps, tx, { tenantId, botId, messageId, address, reason });
  return { reason: 'bounce', threadId };
}
