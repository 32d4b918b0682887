import { cutText } from '../../../../../text/domain/clean-text.ts';
import type { MailForm } from '../mail-form.ts';
import { textOfHtml } from './html-text.ts';
import { isForwardSubject } from './quote-marks.ts';
import { withoutQuotation } from './quotes.ts';

export interface MailText {
  /**
   * The person's own text: without quotes, with a mail that they forward, and without their signature if it can be
   * recognized with certainty.
   */
  text: string;
  /** The whole plain text as received, and the HTML; `null` if there is none. */
  originalText: string | null;
  html: string | null;
}

const maxUnitsOfText = 60_000;
const maxUnitsOfOriginal = 500_000;
const maxUnitsOfSignature = 200;
const maxSignatureLines = 4;

/**
 * Uses the mailer's stripped text unless it lost something that our own stripping keeps: the mailer sometimes takes
 * sentences for signatures. If a mail has only HTML, the HTML is read as text.
 */
export async function readMailText(form: MailForm): Promise<MailText> {
  const plain = normal(form.all('body-plain').join('\n'));
  const html = form.all('body-html').join('\n');
  const body = plain.trim() === '' ? await textOfHtml(html) : plain;
  const isForwarded = isForwardSubject(form.one('subject') ?? form.one('Subject') ?? '');
  const own = withoutQuotation(normal(body), { isForwarded });
  const theirs = strippedText(form);
  const text = theirs !== undefined && covers(theirs.whole, own) ? theirs.text : own;
  return {
    text: cutText(readable(text).trim(), maxUnitsOfText),
    originalText: plain.trim() === '' ? null : cutText(plain, maxUnitsOfOriginal),
    html: html.trim() === '' ? null : cutText(html, maxUnitsOfOriginal),
  };
}

const normal = (text: string): string => text.slice(0, maxUnitsOfOriginal).replace(/\r\n?/g, '\n');

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

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Replaces control characters except line breaks and tabs. */
const readable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
