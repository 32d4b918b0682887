import { Outline, type Section } from './sections.ts';

const numberSign = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const underline = /^ {0,3}(=+|-+)[ \t]*$/;
/** A line that an underline doesn't turn into a heading: a list, a quotation, a table or code. */
const otherLine = /^(?: {4}|\t| {0,3}(?:[-*+>|]|\d{1,9}[.)]))|^\s*$/;

/**
 * A Markdown document by its headings. The text stays Markdown, because models read it. Read line by line, so that
 * the time is linear in the document's length. A heading inside a list or a quotation is text.
 */
export function readMarkdown(markdown: string): Section[] {
  const outline = new Outline();
  let openFence: string | undefined;
  let held: string | undefined;
  const keep = (line?: string) => {
    if (held !== undefined) outline.add(`${held}\n`);
    held = line;
  };
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    const [, mark] = fence.exec(line) ?? [];
    const [, signs, title = ''] = (openFence === undefined && numberSign.exec(line)) || [];
    if (openFence !== undefined) {
      keep(line);
      if (mark?.startsWith(openFence) && line.trim() === mark) openFence = undefined;
    } else if (signs) {
      keep();
      outline.open(signs.length, withoutClosingSigns(title));
    } else if (held !== undefined && !otherLine.test(held) && underline.test(line)) {
      outline.open(line.includes('=') ? 1 : 2, held);
      held = undefined;
    } else {
      keep(line);
      openFence = mark;
    }
  }
  keep();
  return outline.end();
}

/** `## Kettles ##` is called `Kettles`. */
function withoutClosingSigns(title: string): string {
  const clean = title.trim();
  let end = clean.length;
  while (clean[end - 1] === '#') end -= 1;
  if (end === 0) return '';
  return end < clean.length && /\s/.test(clean[end - 1]!) ? clean.slice(0, end).trimEnd() : clean;
}
