/** Red, green and blue; `none` for one that is fully transparent; `undefined` if it isn't known. */
export type Colour = readonly [number, number, number] | 'none' | undefined;

/** Colours that mails name by words. */
const named: Readonly<Record<string, readonly [number, number, number]>> = {
  white: [255, 255, 255],
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  ghostwhite: [248, 248, 255],
  floralwhite: [255, 250, 240],
  whitesmoke: [245, 245, 245],
  mintcream: [245, 255, 250],
  azure: [240, 255, 255],
  black: [0, 0, 0],
  red: [255, 0, 0],
  green: [0, 128, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  navy: [0, 0, 128],
  yellow: [255, 255, 0],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  silver: [192, 192, 192],
  lightgray: [211, 211, 211],
  lightgrey: [211, 211, 211],
  maroon: [128, 0, 0],
  purple: [128, 0, 128],
  teal: [0, 128, 128],
  orange: [255, 165, 0],
};

export function readColour(value: string): Colour {
  if (value === 'transparent') return 'none';
  if (Object.hasOwn(named, value)) return named[value];
  const [, hex] = /^#?([\da-f]{3,8})$/.exec(value) ?? [];
  if (hex !== undefined) return ofHex(hex);
  const [, isHsl, inside] = /^(?:rgb|(hsl))a?\(([^()]{1,60})\)$/.exec(value) ?? [];
  if (inside === undefined) return undefined;
  const [first = 0, second = 0, third = 0, alpha = 1] = inside
    .split(/[\s,/]+/)
    .filter((part) => part !== '')
    .map(
      (part, index) =>
        Number.parseFloat(part) * (part.endsWith('%') && !isHsl ? (index < 3 ? 2.55 : 0.01) : 1),
    );
  if (alpha < 0.05) return 'none';
  // Only black and white are told apart by their lightness.
  if (isHsl) return third >= 99 ? [255, 255, 255] : third <= 1 ? [0, 0, 0] : undefined;
  return [first, second, third];
}

function ofHex(hex: string): Colour {
  if (![3, 4, 6, 8].includes(hex.length)) return undefined;
  const digits = hex.length < 6 ? [...hex].map((digit) => digit + digit).join('') : hex;
  const [red, green, blue, alpha = 255] = (digits.match(/../g) ?? []).map((pair) =>
    Number.parseInt(pair, 16),
  );
  return alpha < 13 ? 'none' : [red!, green!, blue!];
}

const maxDifference = 12;

/** Whether text of a colour can't be told from what is behind it. */
export function isSameColour(text: Colour, background: Colour): boolean {
  if (text === 'none') return true;
  if (text === undefined || background === undefined || background === 'none') return false;
  return text.every((part, index) => Math.abs(part - background[index]!) <= maxDifference);
}
