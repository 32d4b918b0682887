import { headerOf, headersOf } from '../read/headers.ts';
import type { ReadMail } from '../read/read-mail.ts';
import { automaticHeaders, type HeaderSign, isMachineAddress } from './automatic-headers.ts';
import { isAutomaticSubject, isCalendarReplySubject, isReceiptText } from './automatic-subjects.ts';
import { isDeliveryReport, isReport } from './delivery-report.ts';

/** The kind of a mail: a person's, or one that must not be answered, with the reason (REQ-CHAT-7). */
export type Verdict =
  | { kind: 'person' }
  /** `sign` says how it was recognized, in words that contain nothing of the sender. */
  | { kind: 'ignored'; reason: IgnoredMail; sign?: string }
  | { kind: 'bounce' };
export type IgnoredMail =
  | 'automatic mail'
  | 'mailing list'
  | 'no return path'
  | 'automatic sender'
  | 'own mail'
  | 'no sender'
  | 'read receipt'
  | 'calendar reply'
  | 'report';

interface Known {
  /** True for an address of any bot: two machines could answer each other forever. */
  isOwnAddress: boolean;
  /** List ids and addresses whose mail is answered, in lower case. */
  allowedLists?: readonly string[];
}

/** Excludes mail from machines, because two machines could answer each other forever. The first reason counts. */
export function judge(mail: ReadMail, { isOwnAddress, allowedLists = [] }: Known): Verdict {
  if (isDeliveryReport(mail)) return { kind: 'bounce' };
  if (mail.headers.keys().some((name) => ownHeader.test(name)) || isOwnAddress) return ignored('own mail');
  if (isReadReceipt(mail)) return ignored('read receipt');
  if (isReport(mail)) return ignored('report');
  if (isCalendarReply(mail)) return ignored('calendar reply');
  const isAllowed = isAllowedList(mail, allowedLists);
  const sign = automaticHeaders.find((one) => !(isAllowed && one.isOfLists) && hasSign(mail, one));
  if (sign) return ignored(sign.isOfLists ? 'mailing list' : 'automatic mail', sign.name);
  if (!isAllowed && hasNoReturnPath(mail)) return ignored('no return path');
  if (!mail.from) return ignored('no sender');
  if (isMachineAddress(localPartOf(mail.from.address))) return ignored('automatic sender');
  if (isAutomaticSubject(mail.subject)) return ignored('automatic mail', 'its subject');
  return { kind: 'person' };
}

const ownHeader = /^x-botyard-/;

const ignored = (reason: IgnoredMail, sign?: string): Verdict => ({
  kind: 'ignored',
  reason,
  ...(sign === undefined ? {} : { sign }),
});

const localPartOf = (address: string): string => address.slice(0, address.lastIndexOf('@'));
/** The value before parameters and comments, in lower case. */
const wordOf = (header: string): string => header.split(/[;(]/, 1)[0]!.trim().toLowerCase();

const hasSign = ({ headers }: ReadMail, { name, value, isWhole }: HeaderSign): boolean =>
  headersOf(headers, name).some(
    (written) => value === undefined || value.test(isWhole ? written.toLowerCase() : wordOf(written)),
  );

/**
 * Whether the mail came through a list that the tenant allows, which names the person who wrote it. An answer to a list
 * itself would go to all of its members.
 */
export const isAllowedList = ({ list, from }: ReadMail, allowedLists: readonly string[]): boolean =>
  allowedLists.some((allowed) => list.names.includes(allowed)) &&
  from !== null &&
  !list.names.includes(from.address);

function hasNoReturnPath({ headers, envelopeSender }: ReadMail): boolean {
  const returnPath = headerOf(headers, 'Return-Path') ?? headerOf(headers, 'X-Envelope-From');
  return envelopeSender === '' || returnPath?.trim() === '<>';
}

const contentTypeOf = ({ headers }: ReadMail): string =>
  (headerOf(headers, 'Content-Type') ?? '').slice(0, 1000).toLowerCase();

const isReadReceipt = (mail: ReadMail): boolean =>
  (isReport(mail) && contentTypeOf(mail).includes('disposition-notification')) ||
  headerOf(mail.headers, 'Disposition') !== undefined ||
  (headerOf(mail.headers, 'Original-Message-Id') !== undefined && isReceiptText(mail.text));

/** An answer to an invitation, which a calendar wrote. The invitation itself is a person's mail. */
function isCalendarReply(mail: ReadMail): boolean {
  if (/^(?:reply|counter|declinecounter|refresh)$/.test(mail.calendarMethod)) return true;
  const isOfCalendar =
    /calendarmessage|ipm\.schedule\.meeting\.resp/i.test(headerOf(mail.headers, 'Content-Class') ?? '') ||
    mail.calendarMethod !== '';
  return isOfCalendar && mail.calendarMethod !== 'request' && isCalendarReplySubject(mail.subject);
}
