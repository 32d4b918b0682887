import type { OutgoingMail } from '../../clients/mailer.ts';
import type { MailToSend } from '../../store/mail-queue.ts';
import type { MailThread } from '../../store/outgoing.ts';
import type { Mailbox } from '../mailboxes.ts';
import { headerText, isMessageId, isPlainAddress } from './header-text.ts';
import { markerHeader } from './own-headers.ts';

/** Part of the 16 kB that the mailer accepts for headers, options and variables. */
const maxReferencesBytes = 12_000;
const maxReferences = 100;

/** The mailer's request for a mail, or the reason why it can't be sent. */
export function buildMail(
  mailbox: Pick<Mailbox, 'address' | 'botId'>,
  thread: Pick<MailThread, 'plusToken' | 'references'>,
  mail: Pick<
    MailToSend,
    'messageId' | 'inReplyTo' | 'recipient' | 'subject' | 'text' | 'html' | 'language' | 'isByStaff'
  >,
): OutgoingMail | { refusal: string } {
  if (!isPlainAddress(mail.recipient)) return { refusal: "mail can't be sent to the recipient's address" };
  const references = referencesOf(thread.references, mail);
  const answered = mail.inReplyTo && isMessageId(mail.inReplyTo) ? mail.inReplyTo : undefined;
  return {
    from: mailbox.address,
    to: mail.recipient,
    subject: headerText(mail.subject),
    text: mail.text,
    html: mail.html ?? '',
    headers: {
      'Message-Id': `<${mail.messageId}>`,
      ...(answered ? { 'In-Reply-To': `<${answered}>` } : {}),
      ...(references.length > 0 ? { References: references.map((id) => `<${id}>`).join(' ') } : {}),
      ...(mail.language ? { 'Content-Language': mail.language } : {}),
      'Reply-To': plusAddress(mailbox.address, thread.plusToken),
      // A mail by staff isn't an automatic answer. The marker header still keeps it out of loops.
      ...(mail.isByStaff ? {} : { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' }),
      [markerHeader]: mailbox.botId,
    },
  };
}

/** The longest local part of an address (RFC 5321). */
const maxLocalUnits = 64;

/** The address for answers to this thread, independent of a mail program's headers, unless it would be too long. */
function plusAddress(address: string, plusToken: string): string {
  const at = address.lastIndexOf('@');
  if (at + 1 + plusToken.length > maxLocalUnits) return address;
  return `${address.slice(0, at)}+${plusToken}${address.slice(at)}`;
}

/** The thread's Message-Ids up to the answered one. If there are too many, the first and the newest ones. */
function referencesOf(
  known: readonly string[],
  { messageId, inReplyTo }: Pick<MailToSend, 'messageId' | 'inReplyTo'>,
): string[] {
  const end = inReplyTo ? known.indexOf(inReplyTo) : -1;
  const before = (end === -1 ? known : known.slice(0, end)).filter((id) => id !== messageId);
  const ids = [...new Set(inReplyTo ? [...before, inReplyTo] : before)].filter(isMessageId);
  const [first, ...rest] = ids;
  if (first === undefined) return [];
  const kept: string[] = [];
  let bytes = first.length + 3;
  for (const id of rest.reverse()) {
    bytes += id.length + 3;
    if (bytes > maxReferencesBytes || kept.length + 1 >= maxReferences) break;
    kept.unshift(id);
  }
  return [first, ...kept];
}
