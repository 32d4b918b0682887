import { remark } from '../../../../text/domain/remarks.ts';
import { type Fields, record, records, textOf } from '../../../domain/fields.ts';
import type { Entity } from '../update.ts';

/** A formatted message as the platform's other messages are: a text with entities. */
interface FormattedText {
  text: string;
  entities: Entity[];
  /** The text has remarks of ours, whose brackets `showRemarks` shows. */
  hasRemarks: true;
}

/** Brackets of remarks, until the person's own text is known to have none that looks like them. */
const brackets = { open: '\ue000', close: '\ue001' };
const bracketMarks = /[\ue000\ue001]/g;

export const showRemarks = (text: string): string =>
  text.replaceAll(brackets.open, '[').replaceAll(brackets.close, ']');

const maxUnits = 16_384;
const maxEntities = 500;
const maxDepth = 40;
const maxNodes = 20_000;

/** The use of each kind of formatted text. `plain`: the words; `entity`: the words with an entity. */
export const richTextKinds = {
  bold: 'plain',
  italic: 'plain',
  underline: 'plain',
  strikethrough: 'entity',
  spoiler: 'entity',
  date_time: 'entity',
  text_mention: 'entity',
  subscript: 'plain',
  superscript: 'plain',
  marked: 'plain',
  code: 'entity',
  custom_emoji: 'alternative_text',
  mathematical_expression: 'expression',
  url: 'entity',
  email_address: 'plain',
  phone_number: 'plain',
  bank_card_number: 'plain',
  mention: 'entity',
  hashtag: 'plain',
  cashtag: 'plain',
  bot_command: 'entity',
  button: 'plain',
  anchor: 'nothing',
  anchor_link: 'plain',
  reference: 'plain',
  reference_link: 'plain',
} as const satisfies Readonly<Record<string, string>>;

/** The use of each kind of block. */
export const richBlockKinds = {
  paragraph: 'text',
  heading: 'text',
  footer: 'text',
  pre: 'code',
  divider: 'line',
  mathematical_expression: 'expression',
  anchor: 'nothing',
  list: 'items',
  blockquote: 'quote',
  expandable_blockquote: 'quote',
  pullquote: 'quote',
  collage: 'blocks',
  slideshow: 'blocks',
  table: 'cells',
  details: 'blocks',
  map: 'place',
  animation: 'file',
  audio: 'file',
  document: 'file',
  photo: 'file',
  video: 'file',
  voice_note: 'file',
  buttons: 'buttons',
  // A thought of another program is no part of what was said.
  thinking: 'nothing',
} as const satisfies Readonly<Record<string, string>>;

/** The words of a `rich_message`, in linear and bounded time. Unknown kinds give the text that they hold. */
export function richWords(message: unknown): FormattedText | undefined {
  const blocks = record(message)?.blocks;
  if (!Array.isArray(blocks)) return undefined;
  const writer = new RichWriter();
  writer.blocks(blocks, '', 0);
  return writer.end();
}

class RichWriter {
  #text = '';
  #nodes = 0;
  /** The beginning of the next line, if it is the first one of a list's item. */
  #label: string | undefined;
  readonly #entities: Entity[] = [];

  end(): FormattedText {
    const text = this.#text.trimEnd();
    return { text, entities: this.#entities, hasRemarks: true };
  }

  /** `prefix` begins every line, as in a quotation or a list within a list. */
  blocks(blocks: readonly unknown[], prefix: string, depth: number): void {
    for (const block of blocks) {
      if (this.#isFull(depth)) return;
      this.#block(record(block) ?? {}, prefix, depth);
    }
  }

  #isFull(depth: number): boolean {
    this.#nodes += 1;
    return this.#nodes > maxNodes || depth > maxDepth || this.#text.length > maxUnits;
  }

  #block(block: Fields, prefix: string, depth: number): void {
    const kind = (richBlockKinds as Readonly<Record<string, string>>)[String(block.type)] ?? 'text';
    if (kind === 'nothing') return;
    const inner = prefix + (kind === 'quote' ? '> ' : '');
    const shown = oneLine(kind, block);
    if (shown !== undefined) this.#line(prefix, shown);
    else if (kind === 'items') this.#items(block.items, prefix, depth);
    else if (kind === 'cells') this.#rows(block.cells, prefix, depth);
    else if (kind === 'code') this.#code(block, prefix, depth);
    else if (kind === 'buttons')
      for (const { text } of records(block.buttons)) this.#textLine(prefix, text, depth);
    else this.#texts(block, inner, depth);
    if (block.caption !== undefined) this.#caption(block.caption, inner, depth);
  }

  #texts({ summary, text, blocks, credit }: Fields, prefix: string, depth: number): void {
    if (summary !== undefined) this.#textLine(prefix, summary, depth);
    if (text !== undefined) this.#textLine(prefix, text, depth);
    if (Array.isArray(blocks)) this.blocks(blocks, prefix, depth + 1);
    if (credit !== undefined) this.#textLine(prefix, ['— ', credit], depth);
  }

  /** That of a table is a text of its own. */
  #caption(caption: unknown, prefix: string, depth: number): void {
    const { text = caption, credit } = record(caption) ?? {};
    this.#textLine(prefix, credit === undefined ? text : [text, ' — ', credit], depth);
  }

  #items(items: unknown, prefix: string, depth: number): void {
    for (const item of records(items)) {
      if (this.#isFull(depth)) return;
      const box =
        item.has_checkbox === true
          ? item.is_checked === true
            ? '☑'
            : '☐'
          : textOf(item.label).replace(bracketMarks, '') || '•';
      this.#label = `${this.#label ?? prefix}${box} `;
      this.blocks(Array.isArray(item.blocks) ? item.blocks : [], `${prefix}  `, depth + 1);
      if (this.#label !== undefined) this.#line(prefix, '');
    }
  }

  /** Begins a line, with the label of a list's item if this is its first one. */
  #begin(prefix: string): void {
    this.#text += this.#label ?? prefix;
    this.#label = undefined;
  }

  #rows(rows: unknown, prefix: string, depth: number): void {
    if (!Array.isArray(rows)) return;
    for (const row of rows) {
      if (this.#isFull(depth)) return;
      this.#begin(prefix);
      for (const [index, cell] of records(row).entries()) {
        if (this.#isFull(depth)) return;
        if (index > 0) this.#text += ' | ';
        this.#write(cell.text, depth + 1);
      }
      this.#text += '\n';
    }
  }

  #code(block: Fields, prefix: string, depth: number): void {
    this.#begin(prefix);
    const offset = this.#text.length;
    this.#write(block.text, depth + 1);
    const language = textOf(block.language);
    this.#entity({
      type: 'pre',
      offset,
      length: this.#text.length - offset,
      ...(language ? { language } : {}),
    });
    this.#text += '\n';
  }

  #line(prefix: string, text: string): void {
    this.#begin(prefix);
    this.#text += `${text}\n`;
  }

  #textLine(prefix: string, text: unknown, depth: number): void {
    this.#begin(prefix);
    this.#write(text, depth + 1);
    this.#text += '\n';
  }

  #write(text: unknown, depth: number): void {
    if (this.#isFull(depth)) return;
    if (typeof text === 'string') this.#text += text.slice(0, maxUnits).replace(bracketMarks, '');
    else if (Array.isArray(text)) for (const one of text) this.#write(one, depth + 1);
    else this.#formatted(record(text) ?? {}, depth);
  }

  #formatted(text: Fields, depth: number): void {
    const kind = (richTextKinds as Readonly<Record<string, string>>)[String(text.type)] ?? 'plain';
    if (kind === 'nothing') return;
    if (kind === 'alternative_text' || kind === 'expression') {
      this.#write(textOf(text[kind]), depth);
      return;
    }
    const offset = this.#text.length;
    this.#write(text.text ?? record(text.button)?.text ?? '', depth + 1);
    if (kind === 'entity') this.#entity({ ...entityOf(text), offset, length: this.#text.length - offset });
  }

  #entity(entity: Entity): void {
    if (this.#entities.length < maxEntities) this.#entities.push(entity);
  }
}

function entityOf(text: Fields): Omit<Entity, 'offset' | 'length'> {
  const type = text.type === 'url' ? 'text_link' : String(text.type);
  const id = record(text.user)?.id;
  return {
    type,
    url: textOf(text.url) || undefined,
    unix_time: typeof text.unix_time === 'number' ? text.unix_time : undefined,
    user: typeof id === 'number' ? { id } : undefined,
  };
}

const hidden = (shown: string): string => brackets.open + shown.slice(1, -1) + brackets.close;

/** A block that is shown in one line without formatting. */
function oneLine(kind: string, block: Fields): string | undefined {
  if (kind === 'line') return '───';
  if (kind === 'place') return hidden(remark('place', coordinates(block.location)));
  if (kind === 'file') return hidden(remark(String(block.type).replace('_note', ' message')));
  return kind === 'expression' ? textOf(block.expression).replace(bracketMarks, '') : undefined;
}

const coordinates = (location: unknown): string => {
  const { latitude, longitude } = record(location) ?? {};
  return typeof latitude === 'number' && typeof longitude === 'number' ? `${latitude}, ${longitude}` : '';
};
