import { cutText } from './clean-text.ts';

const maxUnits = 500;
/** Characters that would end a remark, begin another line, or change the direction of writing. */
const marks = /[[\]\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2028\u2029]+/gu;

/** A foreign text made safe for use within a remark, on one line. */
export const inRemark = (text: string, units = maxUnits): string =>
  cutText(
    text
      .slice(0, units * 2)
      .replace(marks, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    units,
  );

/** A remark for an agent about what is not text: `[place: Café Luna, 52.52, 13.4]`. */
export function remark(kind: string, ...details: readonly (string | number | null | undefined)[]): string {
  const shown = details
    .map((detail) => (typeof detail === 'number' ? String(detail) : inRemark(detail ?? '')))
    .filter((detail) => detail !== '');
  return shown.length > 0 ? `[${kind}: ${shown.join(', ')}]` : `[${kind}]`;
}

/**
 * A foreign text in which no line can pass for a remark: a whole line in square brackets, as remarks are, gets a
 * backslash. The kind inside doesn't matter, so letters that only look alike don't help.
 */
export function withoutRemarks(text: string): string {
  if (!/[[［]/.test(text)) return text;
  return text
    .split('\n')
    .map((line) => (isRemark(line) ? line.replace(/[[［]/, '\\$&') : line))
    .join('\n');
}

function isRemark(line: string): boolean {
  const shown = line.replace(/[\s\p{Cc}\p{Cf}]+/gu, '');
  return /^[[［]/.test(shown) && /[\]］]$/.test(shown);
}
