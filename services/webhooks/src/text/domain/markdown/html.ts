import { escapeHtml } from '@botyard/shared/http/escape-html';
import type { Run, Style } from './rich-text.ts';

/** One entity of the platform as HTML. Two tags with the same `open` are the same entity. */
export type Tag = { readonly open: string; readonly close: string };

const quote: Tag = { open: '<blockquote>', close: '</blockquote>' };
const bold: Tag = { open: '<b>', close: '</b>' };
const italic: Tag = { open: '<i>', close: '</i>' };
const strike: Tag = { open: '<s>', close: '</s>' };
const code: Tag = { open: '<code>', close: '</code>' };
const pre: Tag = { open: '<pre>', close: '</pre>' };

/**
 * The tags of a style, outermost first. The platform allows no other entity inside or around code (except a quote
 * around it), so code loses its bold, and a link loses its code: the address matters more than the font.
 */
export function tagsOf(style: Style): Tag[] {
  const outer = style.quote ? [quote] : [];
  if (style.pre !== undefined) return [...outer, codeBlock(style.pre)];
  if (style.code && style.href === undefined) return [...outer, code];
  const tags = [...outer];
  if (style.href !== undefined) tags.push({ open: `<a href="${escapeHtml(style.href)}">`, close: '</a>' });
  if (style.bold) tags.push(bold);
  if (style.italic) tags.push(italic);
  if (style.strike) tags.push(strike);
  return tags;
}

/** The number of outermost tags that two neighbours share: these stay open between them. */
export function sharedTags(a: readonly Tag[], b: readonly Tag[]): number {
  let shared = 0;
  while (shared < a.length && a[shared]?.open === b[shared]?.open) shared += 1;
  return shared;
}

/** Properly nested HTML for the platform's parser; its visible text is exactly the text of the runs. */
export function toHtml(runs: readonly Run[]): string {
  let html = '';
  let openTags: Tag[] = [];
  for (const run of runs) {
    const tags = tagsOf(run.style);
    const shared = sharedTags(openTags, tags);
    html += closing(openTags.slice(shared)) + opening(tags.slice(shared)) + escapeHtml(run.text);
    openTags = tags;
  }
  return html + closing(openTags);
}

function codeBlock(language: string): Tag {
  if (language === '') return pre;
  return { open: `<pre><code class="language-${escapeHtml(language)}">`, close: '</code></pre>' };
}

function opening(tags: readonly Tag[]): string {
  return tags.map((tag) => tag.open).join('');
}

function closing(tags: readonly Tag[]): string {
  return tags
    .map((tag) => tag.close)
    .reverse()
    .join('');
}
