import { tryParseForeignJson } from '@botyard/shared/json/parse-json';

/** Foreign JSON, read without trust in its shape. */
export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textOrNothing = (value: unknown): string => (typeof value === 'string' ? value : '');

export const longestOf = (texts: readonly string[]): string =>
  texts.reduce((longer, text) => (text.length > longer.length ? text : longer), '');

const noJson = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

/** Python servers write numbers that JSON doesn't have: here they are `null`. */
export const withJsonNumbers = (text: string): string =>
  text.replace(noJson, (part) => (part.startsWith('"') ? part : 'null'));

/** The value, or `undefined` for a text that is no JSON, or has more values or levels than an answer needs. */
export function parseJson(text: string): unknown {
  const value = tryParseForeignJson(text);
  if (value !== undefined) return value;
  return tryParseForeignJson(withJsonNumbers(text));
}
