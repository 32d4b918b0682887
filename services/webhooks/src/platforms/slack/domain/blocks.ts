import { type Fields, record, textOf } from '../../domain/fields.ts';

/** Nodes of a tree of blocks that are read: more than a message of 4,000 characters has. */
const maxNodes = 2000;
const maxDepth = 10;
const lineKinds = new Set([
  'rich_text_section',
  'rich_text_preformatted',
  'rich_text_quote',
  'section',
  'header',
]);

/** The words of blocks, in the platform's markup of texts. Some messages have their words only there. */
export function textOfBlocks(blocks: unknown): string {
  const lines: string[] = [];
  let line = '';
  let nodes = 0;
  const endLine = () => {
    if (line.trim() !== '') lines.push(line.trim());
    line = '';
  };
  const read = (value: unknown, depth: number): void => {
    nodes += 1;
    if (nodes > maxNodes || depth > maxDepth) return;
    if (Array.isArray(value)) {
      for (const one of value.slice(0, maxNodes)) read(one, depth + 1);
      return;
    }
    const node = record(value);
    if (!node) return;
    if (lineKinds.has(textOf(node.type))) endLine();
    line += wordsOf(node);
    for (const inner of [node.text, node.fields, node.elements, node.rows]) read(inner, depth + 1);
  };
  read(blocks, 0);
  endLine();
  return lines.join('\n');
}

/** The words of one node, without those within it. */
function wordsOf({ type, text, url, user_id: user, channel_id: channel, name, range }: Fields): string {
  switch (type) {
    case 'text':
      return escaped(textOf(text));
    case 'plain_text':
      return `${escaped(textOf(text))} `;
    case 'mrkdwn':
      return `${textOf(text)} `;
    case 'link':
      return textOf(text) === '' ? `<${textOf(url)}>` : `<${textOf(url)}|${escaped(textOf(text))}>`;
    case 'user':
      return `<@${textOf(user)}>`;
    case 'channel':
      return `<#${textOf(channel)}>`;
    case 'broadcast':
      return `@${escaped(textOf(range))}`;
    case 'emoji':
      return `:${escaped(textOf(name))}:`;
    default:
      return '';
  }
}

/** A text whose `&`, `<` and `>` the platform shows as they are. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
