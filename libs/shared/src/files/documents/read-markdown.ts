import { Lexer } from 'marked';
import { Outline, type Section } from './sections.ts';

/** A Markdown document by its headings. The rest stays as it is written: models read Markdown. */
export function readMarkdown(markdown: string): Section[] {
  const outline = new Outline();
  for (const token of new Lexer().blockTokens(markdown, [])) {
    if (token.type === 'heading') outline.open(token.depth, token.text);
    else outline.add(token.raw);
  }
  return outline.end();
}
