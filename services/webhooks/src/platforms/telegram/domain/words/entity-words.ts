import type { Entity } from '../update.ts';

interface Insertion {
  at: number;
  text: string;
  /** Ends come before beginnings; of two ends at one place, that of the shorter stretch comes first. */
  order: number;
}

const maxAddressUnits = 1000;
const maxQuotedLines = 1000;

/** Signs around the words of an entity, where formatting changes their meaning. */
const signs: Readonly<Record<string, string>> = { strikethrough: '~~', spoiler: '||', code: '`' };

/**
 * Each kind of entity that the platform has, and what an agent reads of it: `words` are words as they are, `signs` and
 * `lines` have signs around them, `address` and `moment` are followed by what a person sees on pressing them.
 */
export const entityKinds = {
  mention: 'words',
  hashtag: 'words',
  cashtag: 'words',
  bot_command: 'words',
  url: 'words',
  email: 'words',
  phone_number: 'words',
  bold: 'words',
  italic: 'words',
  underline: 'words',
  strikethrough: 'signs',
  spoiler: 'signs',
  code: 'signs',
  pre: 'lines',
  blockquote: 'lines',
  expandable_blockquote: 'lines',
  text_link: 'address',
  text_mention: 'words',
  custom_emoji: 'words',
  date_time: 'moment',
} as const satisfies Readonly<Record<string, 'words' | 'signs' | 'lines' | 'address' | 'moment'>>;

/** A text from `start` on, with the formatting that changes its meaning, and links as `words (address)`. */
export function entityWords(text: string, entities: readonly Entity[], start = 0): string {
  const insertions = entities.flatMap((entity) => insertionsOf(text, entity)).filter(({ at }) => at >= start);
  insertions.sort((one, other) => one.at - other.at || one.order - other.order);
  let words = '';
  let from = start;
  for (const { at, text: added } of insertions) {
    words += text.slice(from, at) + added;
    from = at;
  }
  return words + text.slice(from);
}

function insertionsOf(text: string, { type, offset, length, ...entity }: Entity): Insertion[] {
  const end = Math.min(offset + length, text.length);
  if (offset >= end) return [];
  const around = (before: string, after: string): Insertion[] => [
    { at: offset, text: before, order: 1_000_000_000 - length },
    { at: end, text: after, order: length - 1_000_000_000 },
  ];
  const sign = signs[type];
  // The words say it, too, because signs get lost where an agent repeats them.
  if (sign !== undefined) return around(sign, type === 'strikethrough' ? `${sign} (struck out)` : sign);
  const label = text.slice(offset, end);
  if (type === 'pre') {
    const before = offset === 0 || text[offset - 1] === '\n' ? '' : '\n';
    const language = /^[\w+#.-]{1,32}$/.exec(entity.language ?? '')?.[0] ?? '';
    return around(
      `${before}\`\`\`${language}\n`,
      `\n\`\`\`${text[end] === '\n' || end === text.length ? '' : '\n'}`,
    );
  }
  if (type === 'blockquote' || type === 'expandable_blockquote') return quoted(text, offset, end);
  if (type === 'text_link') return around('', afterLabel(label, entity.url ?? ''));
  if (type === 'date_time') return around('', moment(entity.unix_time));
  return [];
}

/** A mark before each line. */
function quoted(text: string, start: number, end: number): Insertion[] {
  const lines: Insertion[] = [{ at: start, text: '> ', order: 0 }];
  for (let at = text.indexOf('\n', start); at !== -1 && at + 1 < end; at = text.indexOf('\n', at + 1)) {
    if (lines.length >= maxQuotedLines) break;
    lines.push({ at: at + 1, text: '> ', order: 0 });
  }
  return lines;
}

/** The address behind a label, unless the label shows it. */
function afterLabel(label: string, address: string): string {
  const shown = address.replace(/[\s\p{Cc}]/gu, encodeURIComponent);
  if (shown === '' || shown.length > maxAddressUnits) return '';
  const bare = shown.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '').replace(/\/$/, '');
  return label.includes(bare) ? '' : ` (${shown})`;
}

export function moment(seconds: number | null | undefined): string {
  if (typeof seconds !== 'number' || !(Math.abs(seconds) < 8e12)) return '';
  return ` (${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC)`;
}
