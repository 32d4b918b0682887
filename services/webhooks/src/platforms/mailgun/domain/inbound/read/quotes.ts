/** Headings that mail programs write above the answered mail if they append it without quote marks. */
const dividers = [
  /^-{2,} ?(original message|original appointment|ursprüngliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|forwarded message|weitergeleitete nachricht) ?-{2,}$/i,
  /^_{20,}$/,
];
const outlookHeader =
  /^(from|von|de|da|van|gesendet|sent|envoyé|enviado|to|an|à|para|subject|betreff|objet|asunto|date|datum|cc) ?: ?\S/i;
/** The line above a quote, in any language: it ends with a colon and contains a date or an address. */
const introduction = /(\d|@).*:$/;
const maxIntroductionLines = 3;
const maxIntroductionUnits = 300;
const maxSignatureLines = 10;

/**
 * A mail's text without the answered mail at its end, and without a signature after the line `-- `. Text between quoted
 * lines was written by the person and is kept, with those lines. If nothing would be left, everything is kept.
 */
export function withoutQuotation(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const written = withoutSignature(withoutTrailingQuote(withoutDivided(lines)));
  const found = tidy(written);
  return found === '' ? tidy(lines) : found;
}

const tidy = (lines: readonly string[]): string =>
  lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const isQuoted = (line: string): boolean => line.startsWith('>');

/** A divider counts only with the headers that follow it, because people write `____`, too. */
function withoutDivided(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line, index) => {
    if (!dividers.some((divider) => divider.test(line))) return false;
    const next = lines.slice(index + 1, index + 7).filter((one) => outlookHeader.test(one));
    return next.length >= 2;
  });
  return at < 0 ? lines : lines.slice(0, at);
}

function withoutTrailingQuote(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0 && (lines[end - 1] === '' || isQuoted(lines[end - 1]!))) end -= 1;
  if (!lines.slice(end).some(isQuoted)) return lines;
  return lines.slice(0, end - introductionLines(lines.slice(0, end)));
}

/** `On …, Anna wrote:`, which a program may have broken into several lines. */
function introductionLines(lines: readonly string[]): number {
  for (let count = 1; count <= Math.min(maxIntroductionLines, lines.length); count += 1) {
    const part = lines.slice(-count);
    if (part.includes('')) return 0;
    const joined = part.join(' ');
    if (joined.length > maxIntroductionUnits) return 0;
    if (introduction.test(joined)) {
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
