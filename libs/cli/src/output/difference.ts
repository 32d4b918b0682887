import { createTwoFilesPatch } from 'diff';
import { printable } from './printable.ts';

/** Two states of a file, line by line, as `diff -u` prints them. Absent files have no lines. */
export function differenceOf(path: string, before: string | undefined, after: string | undefined): string {
  const [from, to] = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '', {
    context: 2,
    timeout: 2000,
  });
  if (patch === undefined) return `${path} differs in too many lines to show them\n`;
  return printable(patch.split('\n').slice(1).join('\n'));
}
