const maxInputUnits = 100_000;

/**
 * The shown part of an answer, at most 100,000 units. Control characters become spaces, and lone surrogates are
 * replaced.
 */
export function cleanInput(markdown: string): string {
  const isTooLong = markdown.length > maxInputUnits;
  const kept = isTooLong ? `${markdown.slice(0, maxInputUnits - 2)}\n…` : markdown;
  return kept
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, ' ');
}
