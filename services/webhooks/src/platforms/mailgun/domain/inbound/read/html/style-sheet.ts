import { matchesMedia } from './media-query.ts';
import { readSelectors, type Selector, unescapeCss } from './selectors.ts';

/** One declaration, in lower case. */
export interface Declaration {
  name: string;
  value: string;
  isImportant: boolean;
}

export interface StyleRule {
  selector: Selector;
  declarations: Declaration[];
  /** Whether it certainly applies; one that may not apply can hide, but shows nothing. */
  isSure: boolean;
  /** The position among all rules: of equal ones the last counts. */
  order: number;
}

/** Thrown when a mail's styles can't be read within the limits: then nobody can tell what a person would see. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';
}

const maxUnits = 400_000;
const maxRules = 5000;
const maxDepth = 20;
const maxDeclarations = 200;

/** At-rules whose blocks hold no rules for elements. */
const withoutRules =
  /^@(?:-[a-z]+-)?(?:font-face|keyframes|page|counter-style|property|font-feature-values|viewport)\b/;

/** Reads style sheets, in their order, for a person at a screen. @throws TooComplex */
export function readStyleSheets(sheets: readonly { css: string; media: string }[]): StyleRule[] {
  const rules: StyleRule[] = [];
  let left = maxUnits;
  for (const { css, media } of sheets) {
    left -= css.length;
    if (left < 0) throw new TooComplex('the style sheets are too long');
    const applies = matchesMedia(media);
    if (applies !== 'no') readSheet(css, { isSure: applies === 'yes' }, rules);
  }
  return rules;
}

/** The declarations of a `style` attribute. */
export function readDeclarations(text: string): Declaration[] {
  const declarations: Declaration[] = [];
  for (const { text: part } of partsOf(withoutComments(text)))
    if (declarations.length < maxDeclarations) declarations.push(...readDeclaration(part));
  return declarations;
}

/** A block that is open: its own rules, if it is one of elements. */
interface Block {
  isSure: boolean;
  isSkipped: boolean;
  rules: StyleRule[];
}

function readSheet(css: string, { isSure }: { isSure: boolean }, rules: StyleRule[]): void {
  const blocks: Block[] = [{ isSure, isSkipped: false, rules: [] }];
  for (const { text, end } of partsOf(withoutComments(css))) {
    const block = blocks.at(-1)!;
    if (end === '{') {
      if (blocks.length >= maxDepth) throw new TooComplex('the style sheets are nested too deeply');
      blocks.push(openBlock(text, block, rules));
    } else {
      const declarations = block.rules.length > 0 ? readDeclaration(text) : [];
      for (const rule of block.rules) rule.declarations.push(...declarations);
      if (end === '}' && blocks.length > 1) blocks.pop();
    }
  }
}

function openBlock(prelude: string, outer: Block, rules: StyleRule[]): Block {
  const name = prelude.trim().toLowerCase();
  if (outer.isSkipped || withoutRules.test(name)) return { isSure: false, isSkipped: true, rules: [] };
  if (name.startsWith('@')) {
    const applies = name.startsWith('@media') ? matchesMedia(name.slice('@media'.length)) : 'unknown';
    return { isSure: outer.isSure && applies === 'yes', isSkipped: applies === 'no', rules: [] };
  }
  const own = readSelectors(prelude).map((selector) => ({
    selector,
    declarations: [],
    // A rule within another one applies only inside of its elements, which isn't checked.
    isSure: outer.isSure && selector.isSure && outer.rules.length === 0,
    order: rules.length,
  }));
  if (rules.length + own.length > maxRules) throw new TooComplex('there are too many rules');
  rules.push(...own);
  return { isSure: outer.isSure, isSkipped: false, rules: own };
}

function readDeclaration(text: string): Declaration[] {
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const name = unescapeCss(text.slice(0, colon)).trim().toLowerCase();
  const written = unescapeCss(text.slice(colon + 1, colon + 1000))
    .trim()
    .toLowerCase();
  const value = written.replace(/\s*!\s*important$/, '');
  return name === '' || name.length > 60 ? [] : [{ name, value, isImportant: value !== written }];
}

/** The text before each `{`, `}` and `;` that isn't in quotes or brackets. No character is read twice. */
function* partsOf(css: string): Generator<{ text: string; end: '{' | '}' | ';' }> {
  const mark = /["'(){};\\]/g;
  let begin = 0;
  let depth = 0;
  for (let match = mark.exec(css); match; match = mark.exec(css)) {
    const [found] = match;
    if (found === '\\') mark.lastIndex += 1;
    else if (found === '"' || found === "'") mark.lastIndex = endOfText(css, mark.lastIndex, found);
    else if (found === '(') depth += 1;
    else if (found === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0 || found !== ';') {
      depth = 0;
      yield { text: css.slice(begin, match.index), end: found as '{' | '}' | ';' };
      begin = mark.lastIndex;
    }
  }
  yield { text: css.slice(begin), end: '}' };
}

/** A text ends with its line, if it isn't closed. */
function endOfText(css: string, from: number, quote: string): number {
  for (let at = from; at < css.length; at += 1) {
    const character = css[at]!;
    if (character === '\\') at += 1;
    else if (character === quote || character === '\n') return at + 1;
  }
  return css.length;
}

function withoutComments(css: string): string {
  if (!css.includes('/*') && !css.includes('<!--') && !css.includes('-->')) return css;
  let kept = '';
  let at = 0;
  for (let begin = css.indexOf('/*'); begin >= 0; begin = css.indexOf('/*', at)) {
    kept += `${css.slice(at, begin)} `;
    const end = css.indexOf('*/', begin + 2);
    at = end < 0 ? css.length : end + 2;
  }
  return (kept + css.slice(at)).replace(/<!--|-->/g, ' ');
}
