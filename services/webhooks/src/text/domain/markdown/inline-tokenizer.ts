import { Tokenizer, type Tokens } from 'marked';
import { isMath, mathText } from './math-text.ts';
import { decodeCharacters } from './write-inline.ts';

/** Limit of a formula and of a link's address with spaces, in units. Longer ones stay as they were typed. */
const maxUnits = 2000;
/** Blocks of HTML that are shown as they were typed: they hold no words for a person. */
const literalBlock = /^\s{0,3}<(?:script|style|textarea|!|\?)/i;
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A formula or a footnote, with the text that is shown for it. */
const shown = (raw: string, text: string): Tokens.Escape => ({ type: 'escape', raw, text });

/**
 * Recognizes what models write beside GitHub's Markdown: formulas, footnotes, and links with spaces. Emphasis stays
 * text here: `resolveInline` resolves it, in linear time and for every script.
 */
export class InlineTokenizer extends Tokenizer {
  override emStrong(): undefined {
    return undefined;
  }

  override del(): undefined {
    return undefined;
  }

  /** A footnote's text is no link's definition. */
  override def(src: string): Tokens.Def | undefined {
    return /^ {0,3}\[\^/.test(src.slice(0, 5)) ? undefined : super.def(src);
  }

  /** A block of HTML is read as a paragraph, so that its words and the Markdown in it are shown. */
  override html(src: string): Tokens.HTML | undefined {
    const block = super.html(src);
    if (!block || literalBlock.test(block.raw)) return withoutComments(block);
    const { raw } = block;
    const code = /^\s{0,3}<pre(?:\s[^<>]{0,200})?>/i.exec(raw);
    if (code && /<\/pre>\s*$/i.test(raw)) return preformatted(raw, code[0].length);
    const text = raw.trim();
    return { type: 'paragraph', raw, text, tokens: this.lexer.inline(text) } as unknown as Tokens.HTML;
  }

  override escape(src: string): Tokens.Escape | undefined {
    const close = src.startsWith('\\(') ? '\\)' : src.startsWith('\\[') ? '\\]' : undefined;
    return (close && formula(src, '\\('.length, close)) ?? super.escape(src);
  }

  override reflink(src: string, links: Parameters<Tokenizer['reflink']>[1]) {
    const footnote = /^\[\^([^\]\s]{1,40})\]/.exec(src.slice(0, 50));
    if (!footnote) return super.reflink(src, links);
    const [raw, name = ''] = footnote;
    const isNumber = /^\d{1,3}$/.test(name);
    const text = isNumber ? name.replace(/\d/g, (digit) => superscripts[Number(digit)]!) : `[${name}]`;
    return shown(raw, text) as unknown as Tokens.Text;
  }

  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return super.link(src) ?? this.#linkWithSpaces(src);
  }

  /** A bare address ends before emphasis, which other scripts write without a space. */
  override url(src: string): Tokens.Link | undefined {
    const link = super.url(src);
    const end = link ? link.raw.search(/\*\*|~~|[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]/) : -1;
    if (!link || end === -1) return link;
    return end === 0 ? undefined : super.url(src.slice(0, end));
  }

  /** Formulas are read here, because marked adds what `inlineText` returns to the text before it. */
  override codespan(src: string): Tokens.Codespan | undefined {
    if (!src.startsWith('$')) return super.codespan(src);
    const math = src.startsWith('$$') ? formula(src, 2, '$$') : formula(src, 1, '$');
    return math as unknown as Tokens.Codespan | undefined;
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const next = src.indexOf('$', 1);
    return super.inlineText(next === -1 ? src : src.slice(0, next));
  }

  /** Models copy the names of files into addresses. */
  #linkWithSpaces(src: string): Tokens.Link | undefined {
    const head = /^\[([^[\]\n]{1,200})\]\((https?:\/\/[^()<>\n]{1,2000})\)/.exec(src.slice(0, maxUnits));
    if (!head) return undefined;
    const [raw, text = '', href = ''] = head;
    return {
      type: 'link',
      raw,
      href: href.trim().replace(/\s/g, '%20'),
      text,
      tokens: this.lexer.inlineTokens(text),
    };
  }
}

function preformatted(raw: string, start: number): Tokens.HTML {
  const inner = raw.slice(start, raw.toLowerCase().lastIndexOf('</pre>'));
  const text = decodeCharacters(inner.replace(/<\/?code(?:\s[^<>]{0,200})?>/gi, ''));
  return { type: 'code', raw, text: text.replace(/^\n/, '').trimEnd() } as unknown as Tokens.HTML;
}

/** A comment is nothing to see. */
function withoutComments(block: Tokens.HTML | undefined): Tokens.HTML | undefined {
  if (!block || !/^\s{0,3}<!--/.test(block.raw)) return block;
  const { raw } = block;
  const end = raw.indexOf('-->');
  if (end === -1) return block;
  const first = raw.slice(0, end + '-->'.length);
  return { type: 'space', raw: first } as unknown as Tokens.HTML;
}

/** The formula at the beginning of a text, between its signs. */
function formula(src: string, openUnits: number, close: string): Tokens.Escape | undefined {
  const end = src.slice(0, maxUnits).indexOf(close, openUnits);
  if (end <= openUnits) return undefined;
  const source = src.slice(openUnits, end);
  if (!isMath(source, { isDollar: close === '$', next: src[end + 1] })) return undefined;
  return shown(src.slice(0, end + close.length), mathText(source));
}
