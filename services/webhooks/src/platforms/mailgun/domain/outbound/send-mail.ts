import type { OutboundFile } from '@botyard/contracts/events/attachments';
import { withTenant } from '@botyard/shared/db/database';
import { openOutboundFile } from '../../../../media/domain/outbound-file.ts';
import type { Send, SendResult } from '../../../platform.ts';
import type { MailAccount, MailResult, OutgoingMail } from '../../clients/mailer.ts';
import type { Deps } from '../../deps.ts';
import { insertBouncedAddress, listBounced } from '../../store/bounces.ts';
import { beginMail, getMailToSend, type MailToSend } from '../../store/mail-queue.ts';
import { lockMailThreads, type MailThread } from '../../store/outgoing.ts';
import type { Mailbox } from '../mailboxes.ts';
import { accountOf } from './account.ts';
import { buildMail } from './build-mail.ts';
import { takePlaceOfDay } from './day-caps.ts';
import { keptForMs, maxAgeMs } from './retries.ts';

/** The wait before an undecided mail is checked again. */
const undecidedWaitMs = 1000;
const kept = 'could not send a mail: it waits';

type SendDeps = Pick<Deps, 'database' | 'log' | 'mailer' | 'mailerAccount' | 'mailboxes' | 'objects'>;
type MailSend = Omit<Send, 'payload'>;
interface Prepared {
  account: MailAccount;
  message: OutgoingMail;
  recipient: string;
  file: OutboundFile | null;
}

/** Sends the mail of a part, or determines its outcome without a call. */
export async function sendMail(deps: SendDeps, send: MailSend): Promise<SendResult | undefined> {
  const prepared = await prepare(deps, send);
  if ('outcome' in prepared) return prepared;
  const { account, message, recipient, file } = prepared;
  const opened = file ? await openOutboundFile(deps, file) : undefined;
  if (opened && 'outcome' in opened) return opened;
  const attachment = file && opened ? { ...file, content: opened.content } : undefined;
  if (!(await send.mayCall())) {
    attachment?.content.destroy();
    return undefined;
  }
  const result = await deps.mailer.send(account, message, { attachment, signal: send.signal });
  if (result.outcome === 'closed') deps.log.error({ botId: send.botId, reason: result.reason }, kept);
  if (result.outcome === 'refused' && result.isOfAddress)
    await noteRefusedAddress(deps, { ...send, address: recipient, reason: result.reason });
  return resultOf(result, message);
}

function resultOf(result: MailResult, { headers }: OutgoingMail): SendResult {
  switch (result.outcome) {
    case 'ok':
      return sent(headers['Message-Id']!.slice(1, -1));
    case 'limited':
      return {
        outcome: 'waits',
        reason: 'the mailer asks to wait',
        waitMs: result.retryAfterMs,
        isAsked: true,
      };
    case 'closed':
      return { outcome: 'waits', reason: result.reason, waitMs: keptForMs };
    case 'refused':
      return refused(result.reason);
    case 'failed':
      return { outcome: 'failed', reason: result.reason, isUnclear: result.unclear };
  }
}

const sent = (platformMessageId: string): SendResult => ({ outcome: 'sent', platformMessageId });
const refused = (reason: string): SendResult => ({ outcome: 'refused', reason });

/**
 * Checks everything that may prevent the mail from being sent, and counts it for the daily limit, before it is sent.
 */
async function prepare(deps: SendDeps, send: MailSend): Promise<Prepared | SendResult> {
  const { tenantId, botId, platformChatId: threadId, partId: mailId } = send;
  try {
    const mailbox = await deps.mailboxes.ofBot(botId);
    return await withTenant(deps.database, [tenantId], async (tx) => {
      const thread = (await lockMailThreads(tx, tenantId, [threadId])).get(threadId);
      const mail = await getMailToSend(tx, { tenantId, mailId });
      if (!mail) return refused('the mail no longer exists');
      const bounced = await listBounced(tx, tenantId, [mail.recipient]);
      const decision = decide(deps, { mailbox, thread, mail, bounced: bounced.get(mail.recipient) });
      if ('outcome' in decision) return decision;
      const { isInstallations, ...prepared } = decision;
      // Each mail is counted once, however often it is tried.
      const full =
        isInstallations && !mail.isCounted ? await takePlaceOfDay(deps, tx, { tenantId, botId }) : undefined;
      if (full) return full;
      await beginMail(tx, { ...send, mailId, isCounted: isInstallations });
      return prepared;
    });
  } catch (error) {
    deps.log.warn({ err: error, botId }, 'could not read a mail to be sent');
    return { outcome: 'waits', reason: 'the integration could not be read', waitMs: undecidedWaitMs };
  }
}

interface Found {
  mailbox: Mailbox | null;
  thread: MailThread | undefined;
  mail: MailToSend;
  bounced: string | undefined;
}

/** The mail to send and its account, or the outcome of the mail without a send. */
function decide(
  deps: SendDeps,
  { mailbox, thread, mail, bounced }: Found,
): (Prepared & { isInstallations: boolean }) | SendResult {
  // A process of the previous release has sent it.
  if (mail.state === 'sent') return sent(mail.messageId);
  if (mail.state === 'failed' || mail.state === 'bounced') return refused(mail.reason ?? 'it was given up');
  if (mail.ageMs > maxAgeMs) return refused('it could not be sent for 3 days');
  if (!thread || !mailbox || mailbox.integrationId !== thread.integrationId)
    return refused('the integration was deleted');
  if (bounced !== undefined) return refused(`the address takes no mail: ${bounced}`);
  const account = accountOf(deps, mailbox);
  if ('reason' in account) {
    deps.log.error({ botId: mailbox.botId, reason: account.reason }, kept);
    return { outcome: 'waits', reason: account.reason, waitMs: keptForMs };
  }
  const message = buildMail(mailbox, thread, mail);
  if ('refusal' in message) return refused(message.refusal);
  const { recipient, file } = mail;
  return { ...account, message, recipient, file };
}

/** An address that the mailer refuses receives no more mail, like one that bounced. */
async function noteRefusedAddress(
  { database, log }: SendDeps,
  refusal: { tenantId: string; partId: string; address: string; reason: string },
): Promise<void> {
  const { tenantId, partId: mailId, address, reason } = refusal;
  await withTenant(database, [tenantId], (tx) =>
    insertBouncedAddress(tx, { tenantId, mailId, address, reason }),
  ).catch((error: unknown) => log.warn({ err: error, mailId }, 'could not record a refused address'));
}
