import { escapeHtml } from '@botyard/shared/http/escape-html';
import { type FlatText, findBreak, type Span } from './find-break.ts';
import { sharedTags, type Tag, tagsOf } from './html.ts';
import type { Run } from './rich-text.ts';

/** Limits of one message: visible UTF-16 units, formatting entities, and bytes of HTML. */
export type PartLimits = { readonly units: number; readonly entities: number; readonly htmlBytes: number };

type PlacedRun = Run & Span & { readonly tags: readonly Tag[] };

const invisible = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]*$/u;

/**
 * Cuts an answer into parts within the limits, in order. Every part has visible content. Only white space at a cut is
 * dropped, and a style that is cut continues in the next part.
 */
export function splitRuns(runs: readonly Run[], limits: PartLimits): Run[][] {
  const placed = placeRuns(runs);
  const flat = flatten(placed);
  const parts: Run[][] = [];
  let first = 0;
  let start = skipBlank(flat, 0);
  while (start < flat.text.length) {
    while (placed[first]!.end <= start) first += 1;
    const limit = { start, end: furthestEnd(placed, { first, start }, limits) };
    const end = limit.end < flat.text.length ? findBreak(flat, limit) : limit.end;
    const part = cutRuns(placed, first, { start, end: start + flat.text.slice(start, end).trimEnd().length });
    if (part.some((run) => !invisible.test(run.text))) parts.push(part);
    start = skipBlank(flat, end);
  }
  return parts;
}

function placeRuns(runs: readonly Run[]): PlacedRun[] {
  let end = 0;
  return runs.map((run) => {
    const start = end;
    end += run.text.length;
    return { ...run, start, end, tags: tagsOf(run.style) };
  });
}

function flatten(runs: readonly PlacedRun[]): FlatText {
  const text = runs.map((run) => run.text).join('');
  const isCode = new Uint8Array(text.length);
  for (const run of runs) if (run.style.pre !== undefined) isCode.fill(1, run.start, run.end);
  return { text, isCode };
}

/** Skips the white space that a message can't begin with; the indent of a line of code stays. */
function skipBlank({ text, isCode }: FlatText, from: number): number {
  let position = from;
  while (
    position < text.length &&
    (text[position] === '\n' || (!isCode[position] && /\s/.test(text[position]!)))
  ) {
    position += 1;
  }
  return position;
}

/** The furthest possible end of a part from `start`, before a good place to cut is searched for. */
function furthestEnd(
  runs: readonly PlacedRun[],
  from: { first: number; start: number },
  limits: PartLimits,
): number {
  const farthest = from.start + limits.units;
  let openTags: readonly Tag[] = [];
  let entities = 0;
  let bytes = 0;
  for (let index = from.first; index < runs.length; index += 1) {
    const run = runs[index]!;
    const start = Math.max(run.start, from.start);
    const added = run.tags.slice(sharedTags(openTags, run.tags));
    entities += added.length;
    bytes += added.reduce((sum, tag) => sum + Buffer.byteLength(tag.open + tag.close), 0);
    if (start >= farthest || entities > limits.entities) return Math.min(start, farthest);

    const text = run.text.slice(start - run.start, farthest - run.start);
    const fitting = fittingUnits(text, limits.htmlBytes - bytes);
    if (fitting < text.length || run.end > farthest) return start + fitting;
    bytes += Buffer.byteLength(escapeHtml(text));
    openTags = run.tags;
  }
  return runs.at(-1)?.end ?? 0;
}

/** The number of units at the beginning of a text that fit into the bytes after escaping. */
function fittingUnits(text: string, maxBytes: number): number {
  if (Buffer.byteLength(escapeHtml(text)) <= maxBytes) return text.length;
  let bytes = 0;
  let units = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(escapeHtml(character));
    if (bytes > maxBytes) break;
    units += character.length;
  }
  return units;
}

function cutRuns(runs: readonly PlacedRun[], first: number, span: Span): Run[] {
  const part: Run[] = [];
  for (let index = first; index < runs.length && runs[index]!.start < span.end; index += 1) {
    const run = runs[index]!;
    const text = run.text.slice(Math.max(0, span.start - run.start), span.end - run.start);
    if (text !== '') part.push({ text, style: run.style });
  }
  return part;
}
