import type { Section } from '@botyard/shared/files/documents/sections';

/** A passage: a piece of a section's text, from `start` to before `end` (UTF-16), without the space around it. */
export interface Passage extends Section {
  start: number;
  end: number;
}

export const maxUnitsOfPassage = 1000;
/** What a passage repeats of the one before it, where the cut is inside of a paragraph. */
const overlapUnits = 120;

/** Where a text may be cut, the best first; always after what matches. */
const breaks = [/\n\s*\n/g, /\n/g, /[.!?…。！？؟।][»”"')\]]*(?=\s|\P{ASCII}|$)\s?/gu, /\s/g];

/**
 * Cuts sections into passages of at most 1,000 UTF-16 units, at paragraphs, lines, sentences or words, whichever comes
 * late enough. Nothing but space is lost, no character is cut in two, and no passage is empty.
 */
export function passagesOf(sections: readonly Section[]): Passage[] {
  return sections.flatMap(cut);
}

function cut({ heading, text }: Section): Passage[] {
  const passages: Passage[] = [];
  let begin = skipSpace(text, 0);
  while (begin < text.length) {
    const { end, isParagraph } = findEnd(text, begin);
    const passage = text.slice(begin, end).trimEnd();
    passages.push({ heading, text: passage, start: begin, end: begin + passage.length });
    const next = skipSpace(text, end);
    begin = next >= text.length || isParagraph ? next : overlapFrom(text, begin, next);
  }
  return passages;
}

function findEnd(text: string, begin: number): { end: number; isParagraph: boolean } {
  const latest = begin + maxUnitsOfPassage;
  if (latest >= text.length) return { end: text.length, isParagraph: true };
  const earliest = maxUnitsOfPassage / 2;
  const view = text.slice(begin, latest);
  for (const [rank, pattern] of breaks.entries()) {
    const last = [...view.matchAll(pattern)].at(-1);
    const after = last ? last.index + last[0].length : 0;
    if (after > earliest) return { end: begin + after, isParagraph: rank === 0 };
  }
  return { end: isWithinPair(text, latest) ? latest - 1 : latest, isParagraph: false };
}

/** The beginning of a word shortly before `next`, so that what was cut apart is together once. */
function overlapFrom(text: string, begin: number, next: number): number {
  const earliest = Math.max(begin + 1, next - overlapUnits);
  const space = text.slice(earliest, next).search(/\s/);
  if (space < 0) return next;
  const from = skipSpace(text, earliest + space);
  return isWithinPair(text, from) ? from + 1 : from;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at]!)) at += 1;
  return at;
}

const isWithinPair = (text: string, at: number): boolean =>
  /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '');
