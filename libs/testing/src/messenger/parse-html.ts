/**
 * The messenger's HTML: text and entities, or the real server's refusal. Like the real one it is strict about tags
 * and lenient about `&`: an unknown escape is not changed.
 */
import { badRequest, type Entity, type PlatformError } from './types.ts';

const entityTypes: Record<string, string> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  'tg-spoiler': 'spoiler',
  span: 'spoiler',
  a: 'text_link',
  'tg-emoji': 'custom_emoji',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
};

const namedEscapes: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

type OpenTag = { name: string; offset: number; attributes: Map<string, string> };

type Reader = { source: string; at: number; text: string; open: OpenTag[]; entities: Entity[] };

/** Throws a 400 with the real server's text. Offsets in it are bytes, offsets of entities are UTF-16 units. */
export function parsePlatformHtml(source: string): { text: string; entities: Entity[] } {
  const reader: Reader = { source, at: 0, text: '', open: [], entities: [] };
  while (reader.at < source.length) {
    const character = source[reader.at];
    if (character === '<') readTag(reader);
    else if (character === '&') readEscape(reader);
    else {
      reader.text += character;
      reader.at += 1;
    }
  }
  const unclosed = reader.open.at(-1);
  if (unclosed !== undefined)
    throw refusal(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  reader.entities.sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text: reader.text, entities: reader.entities };
}

function refusal(reason: string): PlatformError {
  return badRequest(`can't parse entities: ${reason}`);
}

function byteOffset(reader: Reader): number {
  return Buffer.byteLength(reader.source.slice(0, reader.at));
}

function readEscape(reader: Reader): void {
  const match = /^&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot));?/i.exec(
    reader.source.slice(reader.at, reader.at + 12),
  );
  const [whole, hex, decimal, name] = match ?? [];
  const code = hex === undefined ? Number(decimal ?? 0) : Number.parseInt(hex, 16);
  const decoded = name === undefined ? decodePoint(code) : namedEscapes[name.toLowerCase()];
  reader.text += decoded ?? '&';
  reader.at += decoded === undefined ? 1 : (whole?.length ?? 1);
}

function decodePoint(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function readTag(reader: Reader): void {
  const offset = byteOffset(reader);
  const end = endOfTag(reader.source, reader.at);
  const isEnd = reader.source[reader.at + 1] === '/';
  if (end === -1) throw refusal(`Unclosed ${isEnd ? 'end' : 'start'} tag at byte offset ${offset}`);
  const inside = reader.source.slice(reader.at + (isEnd ? 2 : 1), end);
  if (isEnd) closeTag(reader, inside.trim().toLowerCase(), offset);
  else openTag(reader, inside, offset);
  reader.at = end + 1;
}

/** The closing `>`, outside of quoted attribute values. */
function endOfTag(source: string, from: number): number {
  let quote = '';
  for (let at = from + 1; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '>') return at;
    else if ((character === '"' || character === "'") && source[at - 1] === '=') quote = character;
  }
  return -1;
}

function openTag(reader: Reader, inside: string, offset: number): void {
  const name = (/^[^\s]*/.exec(inside)?.[0] ?? '').toLowerCase();
  if (!Object.hasOwn(entityTypes, name))
    throw refusal(`Unsupported start tag "${name}" at byte offset ${offset}`);
  const attributes = new Map<string, string>();
  for (const [, key, quoted, plain] of inside
    .slice(name.length)
    .matchAll(/([\w-]+)(?:=(?:["']([^"']*)["']|(\S+)))?/g)) {
    attributes.set((key ?? '').toLowerCase(), quoted ?? plain ?? '');
  }
  if (name === 'span' && attributes.get('class') !== 'tg-spoiler') {
    throw refusal(`Tag "span" must have class "tg-spoiler" at byte offset ${offset}`);
  }
  reader.open.push({ name, offset: reader.text.length, attributes });
}

function closeTag(reader: Reader, name: string, offset: number): void {
  const opened = reader.open.pop();
  if (opened === undefined) throw refusal(`Unexpected end tag at byte offset ${offset}`);
  if (name !== '' && name !== opened.name) {
    throw refusal(
      `Unmatched end tag at byte offset ${offset}, expected "</${opened.name}>", found "</${name}>"`,
    );
  }
  const length = reader.text.length - opened.offset;
  if (length === 0) return;
  const type = entityTypes[opened.name] ?? 'bold';
  const href = opened.attributes.get('href');
  const language = opened.attributes.get('class')?.replace(/^language-/, '');
  const inner = reader.entities.at(-1);
  const isWhole = inner?.type === 'code' && inner.offset === opened.offset && inner.length === length;
  // As on the real server, code that fills a block is that block, with its language.
  if (type === 'pre' && isWhole) {
    inner.type = 'pre';
    return;
  }
  reader.entities.push({
    type,
    offset: opened.offset,
    length,
    ...(type === 'text_link' && href !== undefined ? { url: href } : {}),
    ...(opened.name === 'code' && language !== undefined ? { language } : {}),
  });
}
