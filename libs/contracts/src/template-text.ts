const gap = /\{\{\s*([A-Za-z0-9_]{1,60})\s*\}\}/g;

/** The limits of a template's parameters and of the text with them, in UTF-16 units. */
export const templateLimits = { parameters: 100, parameterUnits: 1024, textUnits: 1024 } as const;

/** The names of a text's gaps, each once. Numbered ones come in the order of their numbers. */
export function gapsOf(body: string): string[] {
  const names = [...new Set([...body.matchAll(gap)].map(([, name]) => String(name)))];
  const isNumbered = names.every((name) => /^\d+$/.test(name));
  return isNumbered ? names.toSorted((one, other) => Number(one) - Number(other)) : names;
}

/** The text with values in its gaps. A gap without a value stays. */
export const fillGaps = (body: string, values: ReadonlyMap<string, string>): string =>
  body.replace(gap, (whole, name) => values.get(String(name)) ?? whole);

/** A parameter as it is sent: platforms take no line breaks, tabs or runs of blanks in it. */
export const cleanParameter = (text: string): string => text.replace(/\s+/g, ' ').trim();
