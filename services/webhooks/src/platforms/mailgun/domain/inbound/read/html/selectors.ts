/** The conditions on one element. */
interface Compound {
  /** Empty for any. */
  tag: string;
  id: string;
  classes: string[];
  attributes: { name: string; operator: string; value: string }[];
  /** How the element before it is related; empty for the first. */
  combinator: '' | ' ' | '>';
}

export interface Selector {
  compounds: Compound[];
  /** Ids, classes and tags, as one number. */
  specificity: number;
  /** `false` if it has a condition that isn't checked here. It then applies to too many elements. */
  isSure: boolean;
}

/** An element of the mail. */
export interface StyledElement {
  tag: string;
  id: string;
  classes: readonly string[];
  attributes: Readonly<Record<string, string>>;
}

const maxSelectors = 100;
const maxCompounds = 10;
const maxUnits = 1000;

/** The selectors of a rule. One that matches no element that is shown at rest is left out, such as `a:hover`. */
export function readSelectors(prelude: string): Selector[] {
  return prelude
    .slice(0, maxSelectors * maxUnits)
    .split(',')
    .slice(0, maxSelectors)
    .flatMap((text) => {
      const selector = readSelector(text.trim().slice(0, maxUnits));
      return selector ? [selector] : [];
    });
}

const token = new RegExp(
  [
    String.raw`(?<combinator>\s*[>+~]\s*|\s+)`,
    String.raw`(?<mark>[#.]?)(?<name>(?:[\w-]|[\u0080-\u{10ffff}]|\\[^\r\n])+)`,
    String.raw`(?<any>\*)`,
    String.raw`\[\s*(?<attribute>[\w:-]{1,60})\s*(?:(?<operator>[~|^$*]?=)\s*["']?(?<value>[^"'\]]{0,200})["']?\s*[is]?\s*)?\]`,
    String.raw`(?<pseudo>::?[\w-]{1,60}(?:\([^()]{0,200}\))?)`,
    '(?<other>.)',
  ].join('|'),
  'gsu',
);
/** States of an element that it doesn't have at rest, and parts of it that no text is in. */
const notAtRest =
  /^::|^:(?:hover|focus|active|visited|checked|target|before|after|first-line|first-letter|placeholder|invalid|disabled)/;
const everyElement = /^:(?:root|link|any-link)$/;

/** A selector while it is read. */
interface Reading {
  compounds: Compound[];
  isSure: boolean;
}

function readSelector(text: string): Selector | undefined {
  if (text === '') return undefined;
  const reading: Reading = { compounds: [emptyCompound('')], isSure: true };
  for (const { groups = {} } of text.matchAll(token)) {
    if (groups.pseudo !== undefined && notAtRest.test(groups.pseudo)) return undefined;
    if (groups.combinator !== undefined) addCombinator(reading, groups.combinator.trim());
    else addCondition(reading, groups);
    if (reading.compounds.length > maxCompounds) return undefined;
  }
  const { compounds, isSure } = reading;
  return { compounds, specificity: specificityOf(compounds), isSure };
}

function addCombinator(reading: Reading, written: string): void {
  const isOfSibling = written === '+' || written === '~';
  // A sibling isn't looked for, so more elements match.
  if (isOfSibling) reading.compounds = [];
  reading.isSure &&= !isOfSibling;
  const combinator = written === '>' ? '>' : ' ';
  reading.compounds.push(emptyCompound(isOfSibling ? '' : combinator));
}

function addCondition(reading: Reading, groups: Record<string, string | undefined>): void {
  const { mark = '', name, attribute, operator = '', value = '', pseudo, other } = groups;
  const current = reading.compounds.at(-1)!;
  if (name !== undefined) addName(current, mark, unescapeCss(name));
  if (attribute !== undefined)
    current.attributes.push({ name: attribute.toLowerCase(), operator, value: unescapeCss(value) });
  reading.isSure &&= other === undefined && (pseudo === undefined || everyElement.test(pseudo));
}

const emptyCompound = (combinator: Compound['combinator']): Compound => ({
  tag: '',
  id: '',
  classes: [],
  attributes: [],
  combinator,
});

function addName(compound: Compound, mark: string, name: string): void {
  if (mark === '#') compound.id = name;
  else if (mark === '.') compound.classes.push(name);
  else compound.tag = name.toLowerCase();
}

const cap = (count: number): number => Math.min(99, count);

function specificityOf(compounds: readonly Compound[]): number {
  let [ids, classes, tags] = [0, 0, 0];
  for (const compound of compounds) {
    ids += compound.id === '' ? 0 : 1;
    classes += compound.classes.length + compound.attributes.length;
    tags += compound.tag === '' ? 0 : 1;
  }
  return cap(ids) * 10_000 + cap(classes) * 100 + cap(tags);
}

export function matchesCompound(compound: Compound, element: StyledElement): boolean {
  const { tag, id, classes, attributes } = compound;
  return (
    (tag === '' || tag === element.tag) &&
    (id === '' || id === element.id) &&
    classes.every((name) => element.classes.includes(name)) &&
    attributes.every((condition) => matchesAttribute(condition, element.attributes[condition.name]))
  );
}

function matchesAttribute(
  { operator, value }: Compound['attributes'][number],
  written: string | undefined,
): boolean {
  if (written === undefined) return false;
  if (operator === '') return true;
  if (operator === '=') return written === value;
  if (value === '') return false;
  if (operator === '~=') return written.split(/\s+/).includes(value);
  if (operator === '|=') return written === value || written.startsWith(`${value}-`);
  if (operator === '^=') return written.startsWith(value);
  return operator === '$=' ? written.endsWith(value) : written.includes(value);
}

/** `\6e` is `n`: an escape hides a word from a reader of the source, and not from a browser. */
export const unescapeCss = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\(?:([\da-f]{1,6})\s?|([^\r\n]))/gi, (_, hex: string | undefined, character: string) =>
        hex === undefined ? character : codePoint(Number.parseInt(hex, 16)),
      )
    : text;

const codePoint = (code: number): string =>
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code);
