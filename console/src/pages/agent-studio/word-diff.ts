import { diffWordsWithSpace } from 'diff';

export interface Piece {
  text: string;
  kind: 'same' | 'added' | 'removed';
}

/** Longer work on two texts that have little in common would freeze the page. */
const mostMs = 300;

/** The words that differ between two texts, in order. Texts with too little in common are replaced as a whole. */
export function wordDiff(before: string, after: string): Piece[] {
  const changes = diffWordsWithSpace(before, after, { timeout: mostMs }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return changes
    .filter(({ value }) => value !== '')
    .map(({ value, added, removed }) => ({
      text: value,
      kind: added ? 'added' : removed ? 'removed' : 'same',
    }));
}

const around = 120;

/** Shortens a long unchanged text to what stands next to the changes. */
export function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 3 * around) return text;
  const [start, end] = [isFirst ? '' : text.slice(0, around), isLast ? '' : text.slice(-around)];
  return `${start} … ${end}`;
}
