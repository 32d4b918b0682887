import type { Section } from '@botyard/shared/files/documents/sections';

/**
 * A passage: a piece of a section's text, from `start` up to `end` (exclusive, in UTF-16 units), without surrounding
 * space.
 */
interface Passage extends Section {
  start: number;
  end: number;
}

export const maxUnitsOfPassage = 1000;
/** Overlap with the previous passage, if the cut is inside a paragraph. */
const overlapUnits = 120;

/** Places where a text may be cut, best first; always after the match. */
const breaks = [/\n\s*\n/g, /\n/g, /[.!?…。！？؟।][»”"')\]]*(?=\s|\P{ASCII}|$)\s?/gu, /\s/g];

/**
 * Cuts sections into passages of at most 1,000 UTF-16 units, at the best break that is late enough: paragraphs, lines,
 * sentences or words. Only space is dropped, no character is split, and no passage is empty.
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

/** The beginning of a word shortly before `next`, so that one passage has the text on both sides of a cut. */
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
