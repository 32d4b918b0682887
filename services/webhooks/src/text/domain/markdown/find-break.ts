/** The visible text of an answer, and for each of its units whether it is in a code block. */
export type FlatText = { readonly text: string; readonly isCode: Uint8Array };

/** A stretch of a text: its first unit, and the one after its last. */
export type Span = { readonly start: number; readonly end: number };

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const extendsCluster = /^(?:\p{M}|\p{Emoji_Modifier}|\u200c|\u200d|[\u{e0020}-\u{e007f}])/u;
const breaks = ['paragraph', 'line', 'sentence', 'word'] as const;

type Break = (typeof breaks)[number];

/**
 * The end of a part that may hold at most `limit` (more text follows it): after a paragraph, else a line, else a
 * sentence, else a word, provided that the part is at least a quarter full; else after any word; else between two
 * characters.
 */
export function findBreak(flat: FlatText, limit: Span): number {
  const nearest = nearestBreaks(flat, limit);
  const enough = limit.start + Math.floor((limit.end - limit.start) / 4);
  for (const kind of breaks) {
    const position = nearest[kind];
    if (position !== undefined && position >= enough) return position;
  }
  return nearest.word ?? nearest.line ?? hardBreak(flat.text, limit);
}

function nearestBreaks(flat: FlatText, limit: Span): Partial<Record<Break, number>> {
  const nearest: Partial<Record<Break, number>> = {};
  for (let position = limit.end; position > limit.start; position -= 1) {
    const kind = breakAt(flat, position, limit.end);
    if (!kind) continue;
    // The end of a paragraph is also the end of a line, a sentence and a word.
    for (const lesser of breaks.slice(breaks.indexOf(kind))) nearest[lesser] ??= position;
    if (kind === 'paragraph') break;
  }
  return nearest;
}

/**
 * The kind of break at this position. In code only the newline at the cut may be dropped, so a word keeps its space.
 */
function breakAt({ text, isCode }: FlatText, position: number, end: number): Break | undefined {
  const next = text[position]!;
  if (isCode[position] || isCode[position - 1]) {
    if (next === '\n') return 'line';
    return position <= end && text[position - 1] === ' ' && !joinsAt(text, position) ? 'word' : undefined;
  }
  if (next === '\n') return text[position + 1] === '\n' ? 'paragraph' : 'line';
  if (isBreakingSpace(next) && !joinsAt(text, position + 1))
    return endsSentence(text, position) ? 'sentence' : 'word';
  return isAfterFullWidthStop(text, position) ? 'sentence' : undefined;
}

function endsSentence(text: string, position: number): boolean {
  let last = position - 1;
  while (position - last < 4 && /[)"'»”’\]]/.test(text[last] ?? '')) last -= 1;
  return /[.!?…؟۔।。！？]/.test(text[last] ?? '');
}

// Chinese and Japanese have no space after a sentence.
function isAfterFullWidthStop(text: string, position: number): boolean {
  return (
    /[。！？]/.test(text[position - 1] ?? '') &&
    !/[。！？」』）”’]/.test(text[position] ?? '') &&
    !joinsAt(text, position)
  );
}

function isBreakingSpace(unit: string): boolean {
  return /\s/.test(unit) && !/[\u00a0\u202f\ufeff]/.test(unit);
}

/** Whether this character combines with the one before it, as an accent does. */
function joinsAt(text: string, position: number): boolean {
  const codePoint = text.codePointAt(position);
  return codePoint !== undefined && extendsCluster.test(String.fromCodePoint(codePoint));
}

/**
 * Cuts between two visible characters. Cuts inside one only if it alone is too long, and never inside a surrogate pair.
 */
function hardBreak(text: string, { start, end }: Span): number {
  const cluster = graphemes.segment(text.slice(start, end + 2)).containing(end - start);
  if (cluster && cluster.index > 0) return start + cluster.index;
  const isInsidePair = end - start > 1 && isLowSurrogate(text, end) && !isLowSurrogate(text, end - 1);
  return isInsidePair ? end - 1 : end;
}

function isLowSurrogate(text: string, position: number): boolean {
  const unit = text.charCodeAt(position);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
