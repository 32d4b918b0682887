import { cleanInput } from './clean-input.ts';
import { readRuns } from './read-runs.ts';
import type { Run } from './rich-text.ts';

/**
 * The words of a model's Markdown without its marks, in bounded time. Lists have bullets, and the address of a link
 * follows its label. Markdown that hides all of an answer, such as a lone link definition, stays as it is.
 */
export function toPlainText(markdown: string): string {
  const input = cleanInput(markdown);
  return plainTextOf(readRuns(input)).trim() || input.trim();
}

/** The text of runs, with the address of each link after its label. */
export function plainTextOf(runs: readonly Run[]): string {
  let text = '';
  let label = '';
  for (const [index, { text: words, style }] of runs.entries()) {
    text += words;
    if (style.href === undefined) continue;
    label += words;
    if (runs[index + 1]?.style.href === style.href) continue;
    if (!label.includes(style.href)) text += ` (${style.href})`;
    label = '';
  }
  return text;
}
