import type { TenantTx } from '@botyard/shared/db/database';
import type { Deps } from '../../../../../deps.ts';
import { findAnsweredMail } from '../../../store/inbound.ts';
import { noteBounce } from '../../outbound/bounces.ts';
import { messageIdsIn } from '../read/headers.ts';
import type { Arrived, Received } from './admit-mail.ts';
import { answeredIds } from './find-or-begin-thread.ts';
import { readReport } from './verdict.ts';

const maxUnitsOfReport = 100_000;

/**
 * Handles a report that one of our mails did not arrive. It has to name a Message-Id of ours, so that a forged report
 * blocks no address.
 */
export async function passOnReport(
  deps: Pick<Deps, 'outbox' | 'wakeSender'>,
  tx: TenantTx,
  { mail, receiver, files }: Pick<Arrived, 'mail' | 'receiver' | 'files'>,
): Promise<Received> {
  const { tenantId, botId } = receiver.mailbox;
  const parts = [mail.originalText ?? mail.text, ...files.map(({ extractedText }) => extractedText ?? '')];
  const text = parts.join('\n').slice(0, maxUnitsOfReport);
  const messageIds = [...new Set([...answeredIds(mail), ...messageIdsIn(text)])];
  const answered = await findAnsweredMail(tx, { tenantId, botId, messageIds });
  const { hasFailed, reason } = readReport(text);
  if (!answered) return { verdict: 'ignored', reason: 'report' };
  if (!hasFailed) return { verdict: 'ignored', reason: 'mail on its way' };
  const { messageId, recipient: address } = answered;
  await noteBounce(deps, tx, { tenantId, botId, messageId, address, reason });
  return { verdict: 'ignored', reason: 'bounce' };
}
