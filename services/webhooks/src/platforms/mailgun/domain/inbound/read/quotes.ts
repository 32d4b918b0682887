import {
  hasAnsweredHeaders,
  isAnsweredHeader,
  isDivider,
  isForwardMark,
  withoutDirection,
} from './quote-marks.ts';

/** The line above a quote, in any language: it ends with a colon and contains a date or an address. */
const introduction = /[\p{Nd}@].*[:：]$/u;
/** An introduction that no person writes: it has the time and the address in brackets, too. */
const certainIntroduction = /\d[:.h]\d\d.*<[^<>\s@]{1,64}@[^<>\s]{1,255}>.{0,40}[:：]$/u;
const maxIntroductionLines = 3;
const maxIntroductionUnits = 300;
const maxSignatureLines = 10;

/**
 * A mail's text without the answered mail at its end, and without a signature after the line `-- `. Text between quoted
 * lines was written by the person and is kept, with those lines. If nothing would be left, everything is kept.
 *
 * A forwarded mail is kept whole: its sender wants it to be read.
 */
export function withoutQuotation(text: string, { isForwarded = false } = {}): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  if (isForwarded) return tidy(lines);
  const own = withoutDivided(lines);
  if (own.some(isForwardMark)) return tidy(own);
  const ownWords = tidy(withoutSignature(withoutTrailingQuote(own)));
  return ownWords === '' ? tidy(lines) : ownWords;
}

const tidy = (lines: readonly string[]): string =>
  lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const isQuoted = (line: string): boolean => line.startsWith('>');

/** The text above an answered mail that follows without quote marks. */
function withoutDivided(lines: readonly string[]): readonly string[] {
  const lastQuoted = lines.findLastIndex(isQuoted);
  const at = lines.findIndex(
    (line, index) => beginsAnswered(lines, index) || (index > lastQuoted && isCertain(line)),
  );
  const forwarded = lines.findIndex(isForwardMark);
  return at < 0 || (forwarded >= 0 && forwarded < at) ? lines : lines.slice(0, at);
}

const isCertain = (line: string): boolean =>
  line.length <= maxIntroductionUnits &&
  line.includes('<') &&
  certainIntroduction.test(withoutDirection(line));

const maxHeaderLines = 12;

/**
 * Whether the headers of an answered mail begin at a line. People write such words and lines, too, so a divider counts
 * only before two headers, and headers without a divider only in a paragraph that has all of them.
 */
function beginsAnswered(lines: readonly string[], at: number): boolean {
  if (isDivider(lines[at]!))
    return lines.slice(at + 1, at + 7).filter((line) => isAnsweredHeader(line)).length >= 2;
  if (!isAnsweredHeader(lines[at]!, 'from') || (lines[at - 1] ?? '') !== '') return false;
  const paragraph = lines.slice(at, at + maxHeaderLines);
  const end = paragraph.indexOf('');
  return hasAnsweredHeaders(end < 0 ? paragraph : paragraph.slice(0, end));
}

function withoutTrailingQuote(lines: readonly string[]): readonly string[] {
  const end = endAbove(lines, (line) => line === '' || isQuoted(line));
  if (!lines.slice(end).some(isQuoted)) return lines;
  const above = lines.slice(0, end - introductionLines(lines.slice(0, end)));
  const written = above.slice(
    0,
    endAbove(above, (line) => line === ''),
  );
  return isDivider(written.at(-1) ?? '') ? written.slice(0, -1) : above;
}

/** The end of the lines without those at the end for which this is true. */
const endAbove = (lines: readonly string[], isLeftOut: (line: string) => boolean): number =>
  lines.findLastIndex((line) => !isLeftOut(line)) + 1;

/** `On …, Anna wrote:`, which a program may have broken into several lines. */
function introductionLines(lines: readonly string[]): number {
  for (let count = 1; count <= Math.min(maxIntroductionLines, lines.length); count += 1) {
    const part = lines.slice(-count);
    if (part.includes('')) return 0;
    const joined = part.join(' ');
    if (joined.length > maxIntroductionUnits) return 0;
    if (introduction.test(withoutDirection(joined))) {
      const isWhole = count === 1 && /^(on|am|le|el|il|op|den|em|dnia|\d|<|")/i.test(part[0]!);
      const before = lines.at(-count - 1);
      if (isWhole || before === undefined || before === '') return count;
    }
  }
  return 0;
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const at = lines.findLastIndex((line) => /^-- ?$/.test(line));
  if (at <= 0 || lines.length - at - 1 > maxSignatureLines) return lines;
  return lines.slice(0, at);
}
