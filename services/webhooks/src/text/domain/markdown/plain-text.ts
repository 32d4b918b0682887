import { cleanInput } from './clean-input.ts';
import { lexMarkdown } from './lex-markdown.ts';
import { RichText, type Run } from './rich-text.ts';
import { writeDocument } from './write-blocks.ts';

/**
 * The words of a model's Markdown without its marks, in bounded time. Lists have bullets, and the address of a link
 * follows its label. Markdown that hides all of an answer, such as a lone link definition, stays as it is.
 */
export function toPlainText(markdown: string): string {
  const input = cleanInput(markdown);
  const tokens = lexMarkdown(input);
  if (!tokens) return input.trim();
  const rich = new RichText();
  writeDocument(tokens, rich);
  return plainTextOf(rich.runs).trim() || input.trim();
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
