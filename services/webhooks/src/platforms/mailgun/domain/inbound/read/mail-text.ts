import { cutText } from '../../../../../text/domain/clean-text.ts';
import type { MailForm } from '../mail-form.ts';
import { readHtml, unreadableHtml } from './html/html-text.ts';
import { withAddresses } from './html/links.ts';
import { isPlainPartOf } from './plain-part.ts';
import { isForwardSubject } from './quote-marks.ts';
import { beginsQuotation, isWholeQuotation } from './quoted-rest.ts';
import { withoutQuotation } from './quotes.ts';

export interface MailText {
  /**
   * The person's own text: without quotes, with a mail that they forward, and without their signature if it can be
   * recognized with certainty.
   */
  text: string;
  /**
   * The text without what the mailer took for a quotation, if only the mails of the thread can tell whether it is one;
   * `null` otherwise.
   */
  unquoted: { text: string; rest: string } | null;
  /** The whole plain text as received, and the HTML; `null` if there is none. */
  originalText: string | null;
  html: string | null;
}

const maxUnitsOfText = 60_000;
const maxUnitsOfOriginal = 500_000;
const maxUnitsOfRest = 4000;
const maxUnitsOfSignature = 200;
const maxSignatureLines = 4;

/**
 * Reads the plain text, with the addresses of the links in the HTML; or the HTML where the plain text isn't the same
 * mail. `calendar` is what a person sees of an invitation.
 *
 * The mailer's stripped text is used unless it lost something that our own stripping keeps, except for a quotation: the
 * mailer sometimes takes sentences for signatures.
 */
export async function readMailText(form: MailForm, calendar = ''): Promise<MailText> {
  const plain = normal(form.all('body-plain').join('\n'));
  const html = form.all('body-html').join('\n');
  const page = html.trim() === '' ? { text: '', links: [] } : readHtml(html);
  const isPlain = html.trim() === '' || isPlainPartOf(plain, page.text === unreadableHtml ? '' : page.text);
  const isForwarded = isForwardSubject(form.one('subject') ?? form.one('Subject') ?? '');
  const own = withoutQuotation(isPlain ? plain : normal(page.text), { isForwarded });
  const { text, rest } = isForwarded ? { text: own, rest: null } : strip(form, own);
  const toShow = (one: string) =>
    [calendar, isPlain ? withAddresses(one, page.links) : one].filter((part) => part !== '').join('\n\n');
  const isCertain = rest === null || beginsQuotation(rest);
  return {
    text: clean(toShow(isCertain ? text : own)),
    unquoted: isCertain ? null : { text: clean(toShow(text)), rest: rest.slice(0, maxUnitsOfRest) },
    originalText: plain.trim() === '' ? null : cutText(plain, maxUnitsOfOriginal),
    html: html.trim() === '' ? null : cutText(html, maxUnitsOfOriginal),
  };
}

const clean = (text: string): string => cutText(readable(text).trim(), maxUnitsOfText);

const normal = (text: string): string => text.slice(0, maxUnitsOfOriginal).replace(/\r\n?/g, '\n');

/** The text to use, and what the mailer took for a quotation below it; `null` if nothing was left out. */
function strip(form: MailForm, own: string): { text: string; rest: string | null } {
  const theirs = strippedText(form);
  if (theirs === undefined) return { text: own, rest: null };
  if (covers(theirs.whole, own)) return { text: theirs.text, rest: null };
  const rest = restBehind(theirs.whole, own) ?? restBehind(theirs.text, own);
  if (rest === undefined || !isWholeQuotation(rest)) return { text: own, rest: null };
  return { text: theirs.text, rest };
}

/** `whole` includes the signature; `text` doesn't, unless the signature doesn't look like one. */
function strippedText(form: MailForm): { text: string; whole: string } | undefined {
  const text = normal(form.one('stripped-text') ?? '').trim();
  if (text === '') return undefined;
  const signature = normal(form.one('stripped-signature') ?? '').trim();
  const whole = signature === '' ? text : `${text}\n\n${signature}`;
  return { whole, text: isSignature(signature) ? text : whole };
}

const isSignature = (text: string): boolean =>
  text.length <= maxUnitsOfSignature && text.split('\n').length <= maxSignatureLines && !text.includes('?');

/** Whether the mailer's text contains every line of our own. */
function covers(theirs: string, ours: string): boolean {
  const lines = new Set(theirs.split('\n').map(squeeze));
  return ours.split('\n').every((line) => line.trim() === '' || lines.has(squeeze(line)));
}

/** The lines behind a beginning of the text; `undefined` if it is none. Blank lines don't count. */
function restBehind(beginning: string, text: string): string | undefined {
  const wanted = beginning
    .split('\n')
    .map(squeeze)
    .filter((line) => line !== '');
  const lines = text.split('\n');
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    if (matched === wanted.length) return lines.slice(index).join('\n').trim();
    if (squeeze(line) === '') continue;
    if (squeeze(line) !== wanted[matched]) return undefined;
    matched += 1;
  }
  return undefined;
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Replaces control characters except line breaks and tabs. */
const readable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
