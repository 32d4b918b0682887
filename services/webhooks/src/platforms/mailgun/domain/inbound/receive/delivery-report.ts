import { headerOf, headersOf } from '../read/headers.ts';
import type { ReadMail } from '../read/read-mail.ts';
import { isDelayText, isFailureText, isReportSubject } from './report-words.ts';

const typeOf = ({ headers }: ReadMail): string =>
  (headerOf(headers, 'Content-Type') ?? '').slice(0, 1000).toLowerCase();

export const isReport = (mail: ReadMail): boolean =>
  typeOf(mail).split(/[;(]/, 1)[0]!.trim() === 'multipart/report';

/** Local parts of mail servers. Exchange has one with an identifier of 32 digits. */
const server =
  /^(?:mailer[-_]?daemon|mail[-_]?daemon|postmaster|mdaemon|mail-?delivery|mail-?system|maildelivery|microsoftexchange[\da-f]{20,40})(?:[+=_.-]|@|$)/;

/** True for a delivery report of RFC 3464, and for a mail server's report in another format. */
export function isDeliveryReport(mail: ReadMail): boolean {
  if (isReport(mail)) return !/report-type\s*=\s*"?(?!delivery-status)[a-z-]+/.test(typeOf(mail));
  const { headers, from, subject, envelopeSender } = mail;
  if (headersOf(headers, 'X-Failed-Recipients').length > 0) return true;
  const returnPath = headerOf(headers, 'Return-Path') ?? headerOf(headers, 'X-Envelope-From');
  const hasNoReturnPath = envelopeSender === '' || returnPath?.trim() === '<>';
  // Some servers write no domain, so that `From` is not an address.
  const written = (headerOf(headers, 'From') ?? '').slice(0, 1000).toLowerCase();
  const isFromServer =
    server.test(from?.address ?? '') || server.test(/<?([^\s<>]{1,100})>?\s*$/.exec(written)?.[1] ?? '');
  return isReportSubject(subject) ? isFromServer || hasNoReturnPath : isFromServer && hasNoReturnPath;
}

interface ReadReport {
  /** The server has given up. A report that says neither this nor a delay blocks nobody. */
  hasFailed: boolean;
  /** In the server's words. */
  reason: string;
}

const maxUnits = 100_000;
const maxGroups = 200;

/**
 * Reads a report: by the fields of RFC 3464 for this recipient, or else by the server's codes and words. Only a final
 * failure counts; a mail that is late may still arrive.
 */
export function readReport(text: string, { subject = '', recipient = '' } = {}): ReadReport {
  const read = text.slice(0, maxUnits);
  const groups = read
    .split(/\n[ \t\r]*\n/)
    .filter((paragraph) => /^(?:action|status):/im.test(paragraph))
    .slice(0, maxGroups);
  const isOfRecipient = (group: string) =>
    /^(?:final|original)-recipient:/im.test(group) && group.toLowerCase().includes(recipient);
  const group = (recipient === '' ? undefined : groups.find(isOfRecipient)) ?? groups[0];
  return group === undefined ? readWords(withoutReturnedMail(read), subject) : readGroup(group);
}

function readGroup(group: string): ReadReport {
  const action = /^action: *([a-z]+)/im.exec(group)?.[1]?.toLowerCase();
  const status = /^status: *(?:#?)([245])\.(\d{1,3})\.(\d{1,3})/im.exec(group);
  const isOnItsWay = ['delayed', 'delivered', 'relayed', 'expanded'].includes(action ?? '');
  const hasFailed = action === 'failed' || (!isOnItsWay && status?.[1] === '5');
  const said = /^diagnostic-code: *(?:[\w-]+; *)?(.{1,300})/im.exec(group)?.[1]?.trim();
  const code = status ? status[0].replace(/^status: *#?/i, '') : '';
  return { hasFailed, reason: said ?? (code === '' ? 'the mail came back' : `the mail came back: ${code}`) };
}

/** A server's permanent code: `550 5.1.1`, `#5.1.1`, `said: 550`. A number alone may be anything. */
const permanentCode =
  /(?:\b5[0-5]\d[ -]#?5\.\d{1,2}\.\d{1,3}\b|#5\.\d{1,2}\.\d{1,3}\b|\b(?:said|error|code|response|reply|returned|host)\b[^\n]{0,80}?[:\s(]5[0-5]\d\b)[^\n]{0,200}/i;

function readWords(text: string, subject: string): ReadReport {
  const code = permanentCode.exec(text)?.[0].trim();
  const isLate = isDelayText(subject) || isDelayText(text);
  const hasFailed = !isLate && (code !== undefined || isFailureText(subject) || isFailureText(text));
  return { hasFailed, reason: code === undefined ? 'the mail came back' : code };
}

/** The mail that a report returns may say anything. */
function withoutReturnedMail(text: string): string {
  const at = text.search(
    /^(?:-{3,}.{0,20}(?:this is a copy|original message|returned message|below this line)|return-path:|received:|message-id:)/im,
  );
  return at < 0 ? text : text.slice(0, at);
}
