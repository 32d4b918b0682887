import type { Token, Tokens } from 'marked';
import { HtmlReader } from './html-tags.ts';
import { resolveEmphasis } from './resolve-emphasis.ts';

/** Deeper links and elements stay as they were typed. */
const maxDepth = 16;

/**
 * The inline tokens of a text as people should see them: with emphasis resolved, and with the elements of HTML that
 * models write as formatting, line breaks and links. Other elements stay text.
 */
export function resolveInline(tokens: readonly Token[], depth = 0): Token[] {
  if (depth > maxDepth) return [...tokens];
  const resolved = tokens.map((token) => {
    const inner = (token as Tokens.Generic).tokens;
    return inner ? ({ ...token, tokens: resolveInline(inner, depth + 1) } as Token) : token;
  });
  if (!resolved.some(({ type }) => type === 'html')) return resolveEmphasis(resolved);
  const reader = new HtmlReader((siblings) => resolveEmphasis(siblings));
  for (const token of resolved) reader.add(token);
  return reader.end();
}
