/** A date or a time, in any order and script, or an address. */
const dateOrAddress =
  /\p{Nd}{1,4}[./\-年년]\s?\p{Nd}{1,2}[./\-月월]|\p{Nd}{1,2}[:.h]\p{Nd}{2}|\b(?:19|20)\d{2}\b|[^\s@<>]{1,64}@[^\s@<>]{1,255}/u;
/** A word or two and a colon, before a value: the headers of an answered mail, in any script. */
const headerLine = /^\*?[\p{L}\p{M}][\p{L}\p{M}\s.'()-]{0,30}\s?[:：]\*?\s*\S/u;
/** `On Friday, Support wrote:`, in any language. */
const introduction = /[:：]\s*$/;
const maxLines = 12;
const maxUnitsOfLine = 400;
const minHeaders = 3;

const linesOf = (text: string): string[] =>
  text
    .slice(0, maxLines * maxUnitsOfLine)
    .split('\n')
    .map((line) => line.replace(/\p{Cf}+/gu, '').trim())
    .filter((line) => line !== '')
    .slice(0, maxLines);

const divider = /^(?:[-_=*—]{3,}.*|-{2,}.{1,60}-{2,})$/;

/**
 * Whether the text that the mailer left out begins like the heading of an answered mail: a line that has a date or an
 * address and ends with a colon, a divider, or at least three headers.
 */
export function beginsQuotation(rest: string): boolean {
  const lines = linesOf(rest);
  const [first = ''] = lines;
  const heading = divider.test(first) ? lines.slice(1) : lines;
  const headers = heading.findIndex((line) => !headerLine.test(line));
  const count = headers < 0 ? heading.length : headers;
  if (count >= minHeaders) return true;
  // An introduction may be broken into several lines.
  const end = heading.slice(0, 3).findIndex((line) => introduction.test(line));
  const said = heading.slice(0, end + 1).join(' ');
  if (end >= 0 && dateOrAddress.test(said)) return true;
  return (
    dateOrAddress.test(heading[0] ?? '') &&
    heading[0]!.length <= maxUnitsOfLine &&
    !endsLikeSentence(heading[0]!)
  );
}

/** A sentence with a date is the person's, not a heading. */
const endsLikeSentence = (line: string): boolean => /[.!?。！？؟]["'”»)]?$/.test(line);

/** Whether nothing was written between or below quoted lines: an answer there is the person's. */
export function isWholeQuotation(rest: string): boolean {
  const lines = rest.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line.startsWith('>'));
  return first < 0 || lines.slice(first).every((line) => line === '' || line.startsWith('>'));
}

const minWords = 4;
const maxWords = 12;
const maxUnitsOfMail = 20_000;

const wordsOf = (text: string): string[] =>
  text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu) ??
  [];

/** Whether the text begins with words of a mail that was sent, perhaps below one line of introduction. */
export function beginsWithSent(rest: string, sent: readonly string[]): boolean {
  const lines = linesOf(rest);
  const said = [lines.join(' '), lines.slice(1).join(' ')]
    .map((text) => wordsOf(text).slice(0, maxWords))
    .filter((words) => words.length >= minWords);
  return sent.some((text) => {
    const words = wordsOf(text.slice(0, maxUnitsOfMail));
    const all = words.join(' ');
    return said.some((beginning) => {
      const begins = beginning.join(' ');
      // A short mail is quoted whole.
      return (
        ` ${all} `.includes(` ${begins} `) || (words.length >= minWords && `${begins} `.startsWith(`${all} `))
      );
    });
  });
}
