import { createElement, Fragment } from 'react';

/**
 * Matches text in `**`, in backticks, and in `_` between spaces. Each match ends at the next such mark, so matching
 * takes linear time.
 */
const marked = /(\*\*(?=\S)[^*\n]+(?<=\S)\*\*|`[^`\n]+`|(?<=^|\s)_[^_\n]+_(?=\s|$))/m;

/** Shows a bot's text with bold, code and emphasis. Everything else stays plain text: no links, pictures or HTML. */
export function Formatted({ text }: { text: string }) {
  const pieces = text.split(marked).map((piece, index) => (index % 2 === 1 ? emphasized(piece) : piece));
  return createElement(Fragment, null, ...pieces);
}

function emphasized(piece: string) {
  if (piece.startsWith('`'))
    return <code className="rounded bg-hover px-1 text-sm">{piece.slice(1, -1)}</code>;
  if (piece.startsWith('_')) return <em>{piece.slice(1, -1)}</em>;
  return <strong>{piece.slice(2, -2)}</strong>;
}
