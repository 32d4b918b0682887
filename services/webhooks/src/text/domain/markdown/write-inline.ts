import { decodeHTMLStrict } from 'entities';
import type { Token, Tokens } from 'marked';
import type { RichText, Style } from './rich-text.ts';

const maxDepth = 16;
const maxHrefUnits = 2048;
const maxShownTargetUnits = 256;
const linkable = /^(?:https?:\/\/|tg:|mailto:|tel:)/i;
const addedStyles: Record<string, Style> = {
  strong: { bold: true },
  em: { italic: true },
  del: { strike: true },
};

type Link = Tokens.Link | Tokens.Image;

/**
 * The target of inline tokens, and their style. `isPlain` means that links aren't supported, so their address is
 * written out.
 */
type InlineTarget = {
  readonly rich: RichText;
  readonly style: Style;
  readonly isPlain?: boolean;
  readonly depth?: number;
};

/** Writes inline tokens as styled text. Everything nested too deep appears as typed. */
export function writeInline(tokens: readonly Token[], target: InlineTarget): void {
  for (const token of tokens) writeToken(token, target);
}

/** Resolves the character references that models write; unknown ones stay as typed. */
export function decodeCharacters(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|[A-Za-z][A-Za-z0-9]{1,31});/g,
    (raw, decimal, hex) => {
      if (decimal === undefined && hex === undefined) return decodeHTMLStrict(raw);
      const codePoint = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return isPrintable(codePoint) ? String.fromCodePoint(codePoint) : raw;
    },
  );
}

function writeToken(token: Token, target: InlineTarget): void {
  const { rich, style, depth = 0 } = target;
  const inner = { ...target, depth: depth + 1 };
  const added = addedStyles[token.type];
  if (depth > maxDepth) rich.write(token.raw, style);
  else if (added)
    writeInline((token as Tokens.Generic).tokens ?? [], { ...inner, style: { ...style, ...added } });
  else if (token.type === 'codespan') rich.write(token.text, { ...style, code: true });
  else if (isLink(token)) writeLink(token, inner);
  else rich.write(literalText(token), style);
}

function literalText(token: Token): string {
  if (token.type === 'br') return '\n';
  if (token.type === 'escape') return token.text;
  // Not `text`: in it marked has already resolved numeric references, including control characters.
  return token.type === 'text' && !token.escaped ? decodeCharacters(token.raw) : token.raw;
}

function isLink(token: Token): token is Link {
  return token.type === 'link' || token.type === 'image';
}

function writeLink(link: Link, target: InlineTarget): void {
  const { rich, style } = target;
  const href = decodeCharacters(link.href).replace(/\s/g, encodeURIComponent);
  const hasLabel = link.text.trim() !== '';
  const isInLink = style.href !== undefined;
  const canLink = !target.isPlain && !isInLink && linkable.test(href) && href.length <= maxHrefUnits;
  const labelStyle = canLink ? { ...style, href } : style;
  // The platform detects bare addresses itself, which saves one of the message's hundred entities.
  if (link.type === 'link' && link.autolink) rich.write(link.text, style);
  else if (hasLabel) writeInline(link.tokens, { ...target, style: labelStyle });
  else if (canLink || isShowable(href)) rich.write(href, labelStyle);

  const address = isInLink || !hasLabel ? '' : shownAddress(href, canLink);
  if (address !== '' && !link.text.includes(address)) rich.write(` (${address})`, style);
}

/** The text after a label that displays the link's target. */
function shownAddress(href: string, canLink: boolean): string {
  // The platform opens only http and tg links, but detects a bare email address or phone number in the text.
  const address = href.replace(/^(?:mailto|tel):/i, '');
  if (canLink && address === href) return '';
  return isShowable(address) ? address : '';
}

function isShowable(address: string): boolean {
  return address.length <= maxShownTargetUnits && !/^data:/i.test(address);
}

function isPrintable(codePoint: number): boolean {
  const isControl = codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0);
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return !isControl && !isSurrogate && codePoint <= 0x10ffff;
}
