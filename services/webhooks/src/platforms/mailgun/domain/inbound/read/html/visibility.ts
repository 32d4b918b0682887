import { type Colour, isSameColour, readColour } from './colours.ts';
import { matchesCompound, type StyledElement } from './selectors.ts';
import { type Declaration, readDeclarations, type StyleRule, TooComplex } from './style-sheet.ts';

/** The look that an element passes on to those within it. */
export interface Look {
  /** Nothing within it can be seen. */
  isGone: boolean;
  isInvisible: boolean;
  fontPx: number;
  opacity: number;
  colour: Colour;
  background: Colour;
}

export const rootLook: Look = {
  isGone: false,
  isInvisible: false,
  fontPx: 16,
  opacity: 1,
  colour: [0, 0, 0],
  background: [255, 255, 255],
};

/** The smallest font and opacity that a person can read. */
const minFontPx = 2;
const minOpacity = 0.05;

export const isSeen = ({ isGone, isInvisible, fontPx, opacity, colour, background }: Look): boolean =>
  !isGone && !isInvisible && fontPx >= minFontPx && opacity > minOpacity && !isSameColour(colour, background);

const maxChecks = 3_000_000;

/** Finds out how elements look, by a mail's style sheets and the elements' own styles. */
export class Looks {
  readonly #byKey = new Map<string, StyleRule[]>();
  #checks = 0;

  constructor(rules: StyleRule[]) {
    for (const rule of rules) {
      const { tag, id, classes } = rule.selector.compounds.at(-1)!;
      const key = id !== '' ? `#${id}` : classes.length > 0 ? `.${classes[0]}` : tag === '' ? '*' : tag;
      const rulesOfKey = this.#byKey.get(key);
      if (rulesOfKey) rulesOfKey.push(rule);
      else this.#byKey.set(key, [rule]);
    }
  }

  /** `above` holds the elements around it, the outermost first. @throws TooComplex */
  of(element: StyledElement, above: readonly StyledElement[], outer: Look): Look {
    const styles = new Styles();
    addAttributes(styles, element);
    const keys = ['*', element.tag, `#${element.id}`, ...new Set(element.classes.map((name) => `.${name}`))];
    for (const key of keys)
      for (const rule of this.#byKey.get(key) ?? [])
        if (this.#applies(rule, element, above))
          for (const declaration of rule.declarations)
            if (rule.isSure || hides(declaration))
              styles.add(declaration, rule.selector.specificity * 10_000 + rule.order);
    const { style } = element.attributes;
    if (style !== undefined)
      for (const declaration of readDeclarations(style)) styles.add(declaration, ofAttribute);
    return lookOf(styles, element, outer);
  }

  #applies(
    { selector: { compounds } }: StyleRule,
    element: StyledElement,
    above: readonly StyledElement[],
  ): boolean {
    this.#count();
    if (!matchesCompound(compounds.at(-1)!, element)) return false;
    return this.#isWithin(compounds, compounds.length - 1, above, above.length - 1);
  }

  /** Whether the elements above match the compounds before the one at `index`. */
  #isWithin(
    compounds: StyleRule['selector']['compounds'],
    index: number,
    above: readonly StyledElement[],
    nearest: number,
  ): boolean {
    if (index === 0) return true;
    const { combinator } = compounds[index]!;
    const wanted = compounds[index - 1]!;
    for (let at = nearest; at >= 0; at -= 1) {
      this.#count();
      if (matchesCompound(wanted, above[at]!) && this.#isWithin(compounds, index - 1, above, at - 1))
        return true;
      if (combinator === '>') return false;
    }
    return false;
  }

  #count(): void {
    this.#checks += 1;
    if (this.#checks > maxChecks) throw new TooComplex('the styles take too long');
  }
}

const ofAttribute = 1e12;
const ofImportant = 1e13;

/** The declarations of an element: of several of one name the heaviest, or else the last. */
class Styles {
  readonly #values = new Map<string, { value: string; weight: number }>();

  add({ name, value, isImportant }: Declaration, weight: number): void {
    const own = weight + (isImportant ? ofImportant : 0);
    for (const [longhand, part] of longhandsOf(name, value)) {
      const current = this.#values.get(longhand);
      if (!current || current.weight <= own) this.#values.set(longhand, { value: part, weight: own });
    }
  }

  get(name: string): string {
    return this.#values.get(name)?.value ?? '';
  }
}

function longhandsOf(name: string, value: string): [string, string][] {
  if (name === 'font') {
    // A size is the first part with a unit; a line height may follow it.
    const size = /(?:^|\s)(0|[\d.]+(?:px|pt|em|rem|%|vw|vh|cm|mm|in|pc))(?:\s|\/|$)/.exec(value)?.[1];
    return size === undefined ? [] : [['font-size', size]];
  }
  if (name === 'background') return [['background-color', value]];
  if (name === 'background-image') return value === 'none' ? [] : [['background-color', value]];
  if (name === 'overflow-x' || name === 'overflow-y') return [['overflow', value]];
  if (name === '-webkit-text-fill-color') return [['color', value]];
  return [[name, value]];
}

function addAttributes(styles: Styles, { tag, attributes }: StyledElement): void {
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) styles.add({ name, value: value.trim().toLowerCase(), isImportant: false }, -1);
  };
  if (attributes.hidden !== undefined) add('display', 'none');
  add('background-color', attributes.bgcolor);
  if (attributes.background !== undefined) add('background-color', 'url()');
  if (tag === 'font') add('color', attributes.color);
  if (tag === 'body') add('color', attributes.text);
}

function lookOf(styles: Styles, { tag }: StyledElement, outer: Look): Look {
  const fontPx = fontPxOf(styles.get('font-size'), outer.fontPx);
  const visibility = styles.get('visibility');
  const background = styles.get('background-color');
  const colour = styles.get('color');
  const ofLink: Colour = tag === 'a' && outer.colour !== undefined ? [0, 0, 238] : outer.colour;
  return {
    isGone: outer.isGone || isGone(styles, fontPx),
    isInvisible:
      visibility === 'visible' ? false : outer.isInvisible || /^(?:hidden|collapse)$/.test(visibility),
    fontPx,
    opacity: outer.opacity * opacityOf(styles.get('opacity'), styles.get('filter')),
    colour:
      colour === '' || colour === 'inherit' ? (colour === '' ? ofLink : outer.colour) : readColour(colour),
    background: background === '' ? outer.background : backgroundOf(background, outer.background),
  };
}

function backgroundOf(value: string, outer: Colour): Colour {
  if (/url\(|gradient|image/.test(value)) return undefined;
  if (/^(?:none|transparent|inherit|initial|unset)$/.test(value)) return outer;
  const colour = value
    .split(/\s+(?![^(]*\))/)
    .map(readColour)
    .find((one) => one !== undefined);
  return colour === 'none' ? outer : colour;
}

function isGone(styles: Styles, fontPx: number): boolean {
  const is = (name: string, value: string) => styles.get(name).startsWith(value);
  if (is('display', 'none') || is('mso-hide', 'all') || is('content-visibility', 'hidden')) return true;
  const isCut = /^(?:hidden|clip|auto|scroll)/.test(styles.get('overflow'));
  const isFlat = ['height', 'max-height', 'width', 'max-width'].some(
    (name) => (pixelsOf(styles.get(name), fontPx) ?? minFontPx) < minFontPx,
  );
  if (isCut && isFlat) return true;
  if ((pixelsOf(styles.get('text-indent'), fontPx) ?? 0) < -500) return true;
  const isPlaced = /^(?:absolute|fixed|relative)$/.test(styles.get('position'));
  const isOutside = ['left', 'top', 'right', 'bottom', 'margin-left', 'margin-top'].some(
    (name) => (pixelsOf(styles.get(name), fontPx) ?? 0) < -500,
  );
  if (isOutside && (isPlaced || is('margin-left', '-') || is('margin-top', '-'))) return true;
  return isClipped(styles);
}

const nothingOfIt = /scale(?:x|y|3d)?\(\s*0(?:\.0\d*)?\s*[,)]|translate(?:x|y|3d)?\(\s*-\d{4,}/;

const isClipped = (styles: Styles): boolean =>
  /^rect\(\s*(?:0|1px)[\s,]/.test(styles.get('clip')) ||
  /^(?:inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0)/.test(styles.get('clip-path')) ||
  nothingOfIt.test(styles.get('transform'));

function opacityOf(opacity: string, filter: string): number {
  const values = [opacity, /opacity\(\s*([\d.]+%?)/.exec(filter)?.[1] ?? '', ofOldFilter(filter)];
  return values.reduce((product, value) => {
    const number = Number.parseFloat(value);
    if (Number.isNaN(number)) return product;
    return product * Math.max(0, Math.min(1, value.endsWith('%') ? number / 100 : number));
  }, 1);
}

const ofOldFilter = (filter: string): string => {
  const percent = /alpha\(\s*opacity\s*=\s*(\d{1,3})/.exec(filter)?.[1];
  return percent === undefined ? '' : `${percent}%`;
};

const keywords: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
};

/** Sizes that are calculated count by the smallest length in them: nobody calculates the size of a mail's text. */
function fontPxOf(value: string, outerPx: number): number {
  if (value === '' || value === 'inherit') return outerPx;
  if (/^(?:calc|min|max|clamp)\(/.test(value)) {
    const lengths = value.match(/-?[\d.]+(?:px|pt|em|rem|%|vw|vh)/g) ?? ['0'];
    return Math.min(...lengths.map((length) => pixelsOf(length, outerPx) ?? outerPx));
  }
  return keywords[value] ?? pixelsOf(value, outerPx) ?? outerPx;
}

const unitPx: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  q: 0.945,
  rem: 16,
  vw: 10,
  vh: 7,
  vmin: 7,
  vmax: 10,
};

/** A length in pixels; those that depend on the font by its size. `undefined` for other words. */
function pixelsOf(value: string, fontPx: number): number | undefined {
  const [, digits, unit = ''] =
    /^\s*([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:e[+-]?\d{1,3})?)\s*([a-z%]{0,4})/.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const number = Number.parseFloat(digits);
  if (unit === 'em') return number * fontPx;
  if (unit === 'ex' || unit === 'ch') return (number * fontPx) / 2;
  if (unit === '%') return (number / 100) * fontPx;
  return unit === '' ? number : unitPx[unit] === undefined ? undefined : number * unitPx[unit];
}

/** Whether a declaration can only hide. One that may not apply counts only if it does. */
function hides({ name, value }: Declaration): boolean {
  if (name === 'overflow' || name.startsWith('overflow-')) return true;
  if (name === 'color' || name.startsWith('background')) return false;
  const styles = new Styles();
  styles.add({ name, value, isImportant: false }, 0);
  styles.add({ name: 'position', value: 'absolute', isImportant: false }, 0);
  styles.add({ name: 'overflow', value: 'hidden', isImportant: false }, 0);
  const element = { tag: '', id: '', classes: [], attributes: {} };
  return !isSeen(lookOf(styles, element, rootLook));
}
