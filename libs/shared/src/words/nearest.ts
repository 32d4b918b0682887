/** Longer words are not typing errors of a name. */
const maxLength = 60;

/**
 * The candidate that a word is probably meant to be, or `undefined`. Case, `_` and `-` are ignored. One letter in
 * four may differ, at most two; two swapped neighbours count as one.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word);
  if (word.length > maxLength || wanted === '') return undefined;
  let found: string | undefined;
  let best = Math.min(2, Math.floor(wanted.length / 4)) + 1;
  for (const candidate of candidates) {
    const one = plain(candidate);
    if (one.length > maxLength || Math.abs(one.length - wanted.length) >= best) continue;
    const distance = distanceOf(wanted, one);
    if (distance < best) [found, best] = [candidate, distance];
  }
  return found;
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, '');

/** The number of letters to insert, delete, replace or swap (optimal string alignment). */
function distanceOf(left: string, right: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: right.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= left.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= right.length; at += 1) {
      const isSame = left[row - 1] === right[at - 1];
      const replaced = (last[at - 1] ?? 0) + (isSame ? 0 : 1);
      const isSwapped = left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      const swapped = row > 1 && at > 1 && isSwapped ? (before[at - 2] ?? 0) + 1 : replaced;
      next[at] = Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, replaced, swapped);
    }
    [before, last] = [last, next];
  }
  return last[right.length] ?? 0;
}
