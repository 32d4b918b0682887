import { lexMarkdown } from './lex-markdown.ts';
import { RichText, type Run } from './rich-text.ts';
import { writeDocument } from './write-blocks.ts';

/** The runs of a Markdown text, in bounded time. A text that would be too costly is one run, as it is written. */
export function readRuns(markdown: string): Run[] {
  const tokens = lexMarkdown(markdown);
  if (!tokens) return [{ text: markdown, style: {} }];
  const rich = new RichText();
  writeDocument(tokens, rich);
  return rich.runs;
}
