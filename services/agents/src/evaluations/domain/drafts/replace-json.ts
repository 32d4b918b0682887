import { tryParseForeignJson } from '@botyard/shared/json/parse-json';

type ReplaceText = (text: string) => string;

/** JSON within texts of JSON is read so deep. */
const maxNested = 3;

/**
 * Replaces in a text that may be JSON: then in its texts, names and numbers, also as JSON within them. JSON that can't
 * be read, such as a part of it, is a text whose escaped letters are read.
 */
export function replaceInWritten(text: string, replace: ReplaceText, nested = 0): string {
  if (nested >= maxNested || !/^\s*[[{]/.test(text)) return replace(text);
  const value = tryParseForeignJson(text);
  if (typeof value !== 'object' || value === null) return replace(withLetters(text));
  const before = JSON.stringify(value);
  const after = replaceInValue(value, replace, nested + 1);
  if (JSON.stringify(after) === before) return text;
  return text.includes('\n') ? JSON.stringify(after, null, 2) : JSON.stringify(after);
}

/** The same in a value of JSON. */
export function replaceInValue(value: unknown, replace: ReplaceText, nested = 0): unknown {
  if (typeof value === 'string') return replaceInWritten(value, replace, nested);
  if (typeof value === 'number') return replaceNumber(value, replace);
  if (Array.isArray(value)) return value.map((item) => replaceInValue(item, replace, nested));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, item]) => [replace(name), replaceInValue(item, replace, nested)]),
  );
}

function replaceNumber(value: number, replace: ReplaceText): number {
  const written = String(Math.abs(value));
  if (!/^\d+(?:\.\d+)?$/.test(written)) return value;
  const replaced = replace(written);
  return replaced === written ? value : Math.sign(value) * Number(replaced.replace(/[^\d.]/g, ''));
}

/** Letters and digits that are written as `\u0041`. */
const withLetters = (text: string): string =>
  text.replace(/\\u([0-9a-fA-F]{4})/g, (written, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\p{L}\p{M}\p{N}@.+-]/u.test(character) ? character : written;
  });
