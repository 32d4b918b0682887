import type { Token, Tokens } from 'marked';
import { subscripts, superscripts } from './math-symbols.ts';
import { raised } from './math-text.ts';

/** Elements that become formatting. */
const inlineTypes = typesByName({
  strong: 'b strong h1 h2 h3 h4 h5 h6 summary th',
  em: 'i em cite',
  del: 's del strike',
  code: 'code kbd samp tt',
  link: 'a',
  superscript: 'sup',
  subscript: 'sub',
});
/** Elements that only lose their tags. */
const plain =
  words(`u ins mark small big span font center q abbr time var label details section article header
  footer main aside nav figure figcaption blockquote p div ul ol li dl dt dd table thead tbody tfoot tr td caption pre
  picture address tg-spoiler tg-emoji`);
/** Elements that begin and end a line, those with space around them, and those without an end tag. */
const blocks = words(
  'p div ul ol li dl dt dd table tr caption h1 h2 h3 h4 h5 h6 details summary section blockquote pre',
);
const voids = words('br hr img wbr input');
const maxOpen = 16;
const maxAddressUnits = 2048;

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

function typesByName(elements: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const types = Object.entries(elements).flatMap(([type, names]) =>
    [...words(names)].map((name) => [name, type] as const),
  );
  return Object.assign(Object.create(null), Object.fromEntries(types));
}

interface Open {
  name: string;
  raw: string;
  tokens: Token[];
  /** The number of the next item of an ordered list. */
  item?: number;
  cells?: number;
}

const text = (raw: string, escaped = false): Tokens.Text => ({ type: 'text', raw, text: raw, escaped });
const lineBreak = { type: 'br', raw: '\n' } as Tokens.Br;

type Resolve = (siblings: readonly Token[]) => Token[];

/** Reads inline tokens with tags of HTML in one pass. */
export class HtmlReader {
  readonly #resolve: Resolve;
  readonly #root: Open = { name: '', raw: '', tokens: [] };
  readonly #open: Open[] = [this.#root];

  constructor(resolve: Resolve) {
    this.#resolve = resolve;
  }

  add(token: Token): void {
    if (token.type !== 'html') {
      this.#current.tokens.push(token);
      return;
    }
    const { raw } = token;
    if (raw.startsWith('<!--')) return;
    const tag = /^<(\/?)([A-Za-z][A-Za-z0-9-]{0,30})(?=[\s/>])/.exec(raw.slice(0, 40));
    const name = tag?.[2]?.toLowerCase() ?? '';
    const isKnown = voids.has(name) || plain.has(name) || inlineTypes[name] !== undefined;
    if (!tag || !isKnown) this.#current.tokens.push(text(raw, true));
    else if (voids.has(name)) this.#void(name, raw);
    else if (tag[1] === '/') this.#close(name, raw);
    else this.#begin(name, raw);
  }

  end(): Token[] {
    while (this.#open.length > 1) this.#end(false);
    return withoutEdges(this.#resolve(this.#root.tokens));
  }

  get #current(): Open {
    return this.#open.at(-1)!;
  }

  #void(name: string, raw: string): void {
    if (name === 'br') this.#current.tokens.push(lineBreak);
    else if (name === 'hr') this.#current.tokens.push(lineBreak, text('──────────', true), lineBreak);
    else if (name === 'input') this.#current.tokens.push(text(/\schecked\b/i.test(raw) ? '☑ ' : '☐ ', true));
    else if (name === 'img') this.#image(raw);
  }

  #image(raw: string): void {
    const href = attribute(raw, 'src');
    const label = attribute(raw, 'alt');
    if (href === '' && label === '') return;
    const token = {
      type: 'image',
      raw,
      href,
      title: null,
      text: label,
      tokens: label === '' ? [] : [text(label)],
    };
    this.#current.tokens.push(token as unknown as Token);
  }

  #begin(name: string, raw: string): void {
    if (blocks.has(name)) this.#breakLine();
    const parent = this.#current;
    if (name === 'li') parent.tokens.push(text(this.#marker(), true));
    if (name === 'td' || name === 'th') {
      parent.cells = (parent.cells ?? 0) + 1;
      if (parent.cells > 1) parent.tokens.push(text(' | ', true));
    }
    // An element that nests too deep loses its formatting.
    if (this.#open.length > maxOpen) return;
    this.#open.push({ name, raw, tokens: [], ...(name === 'ol' ? { item: 1 } : {}) });
  }

  #marker(): string {
    const list = this.#open.findLast((one) => one.name === 'ol' || one.name === 'ul');
    if (list?.item === undefined) return '• ';
    list.item += 1;
    return `${list.item - 1}. `;
  }

  #close(name: string, raw: string): void {
    const at = this.#open.findLastIndex((one) => one.name === name);
    // Without its beginning it is text, unless it only separates.
    if (at <= 0) {
      if (isTyped(name, raw)) this.#current.tokens.push(text(raw, true));
      return;
    }
    while (this.#open.length > at + 1) this.#end(false);
    this.#end(true);
    if (blocks.has(name)) this.#breakLine();
  }

  /** Ends the innermost element; without an end tag of its own it loses its formatting. */
  #end(isClosed: boolean): void {
    const { name, raw, tokens } = this.#open.pop()!;
    const type = isClosed ? inlineTypes[name] : undefined;
    if (!isClosed && isTyped(name, raw)) this.#current.tokens.push(text(raw, true));
    if (type === undefined) {
      for (const token of tokens) this.#current.tokens.push(token);
      return;
    }
    this.#current.tokens.push(toToken(type, raw, this.#resolve(tokens)));
  }

  #breakLine(): void {
    const { tokens } = this.#current;
    const last = tokens.at(-1);
    if (this.#open.length === 1 && tokens.length === 0) return;
    if (last && last.type !== 'br' && !/\n\s*$/.test(last.raw)) tokens.push(lineBreak);
  }
}

/** Whether a tag is more likely a name that was typed, such as the type in `List<T>`, than formatting. */
const isTyped = (name: string, raw: string): boolean =>
  !plain.has(name) && raw.slice(1, 3).includes(name[0]!.toUpperCase());

function toToken(type: string, raw: string, tokens: Token[]): Token {
  const inner = tokens.map((token) => token.raw).join('');
  if (type === 'code') return { type: 'codespan', raw: inner, text: wordsOf(tokens) } as Token;
  if (type === 'superscript') return text(raised(wordsOf(tokens), superscripts, ''), true);
  if (type === 'subscript') return text(raised(wordsOf(tokens), subscripts, ''), true);
  if (type !== 'link') return { type, raw: inner, text: inner, tokens } as Token;
  const href = attribute(raw, 'href');
  return { type: 'link', raw: inner, href, title: null, text: wordsOf(tokens), tokens } as unknown as Token;
}

/** The words of tokens, without formatting. */
export function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const { tokens: inner, text: own } = token as Tokens.Generic;
      return inner ? wordsOf(inner) : token.type === 'br' ? '\n' : ((own as string | undefined) ?? token.raw);
    })
    .join('');
}

function attribute(raw: string, name: string): string {
  const value = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    raw.slice(0, maxAddressUnits * 2),
  );
  return (value?.[1] ?? value?.[2] ?? value?.[3] ?? '').slice(0, maxAddressUnits).trim();
}

/** Without blanks at both ends, and with at most one empty line in a row. */
function withoutEdges(tokens: readonly Token[]): Token[] {
  const kept: Token[] = [];
  for (const token of tokens) {
    const isAtStart = kept.length === 0 || kept.at(-1)?.type === 'br';
    if (token.type === 'br' && isAtStart && (kept.length === 0 || kept.at(-2)?.type === 'br')) continue;
    const isText = token.type === 'text' && !(token as Tokens.Text).escaped;
    if (!isText || !isAtStart) kept.push(token);
    else if (token.raw.trimStart() !== '') kept.push(text(token.raw.trimStart()));
  }
  while (kept.length > 0 && (kept.at(-1)!.type === 'br' || kept.at(-1)!.raw.trim() === '')) kept.pop();
  return kept;
}
