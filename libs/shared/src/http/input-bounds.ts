import { type HttpError, invalid } from './errors.ts';

/** No contract needs more. For a large body, checking an object's properties one by one is the main cost. */
const maxProperties = 500;
const maxDepth = 100;

/**
 * Refuses bodies and queries that no route accepts, before they are validated: U+0000, which Postgres can't store in
 * text, endless nesting, and objects with thousands of properties. Walks the parsed input, because the cost of a
 * reviver grows with the square of a list's length.
 * @throws HttpError 400.
 */
export function refuseHostileInput(input: unknown): void {
  const waiting: { container: object; key: string; depth: number }[] = [];
  const visit = (key: string, value: unknown, depth: number): void => {
    if (typeof value === 'string' && value.includes('\0')) throw nul(key);
    if (typeof value === 'object' && value !== null) waiting.push({ container: value, key, depth });
  };
  visit('', input, 0);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { container, key, depth } = next;
    if (depth > maxDepth) throw fault(key, `must not be nested deeper than ${maxDepth}`);
    if (Array.isArray(container)) {
      for (let index = 0; index < container.length; index += 1) visit(key, container[index], depth + 1);
      continue;
    }
    const names = Object.keys(container);
    if (names.length > maxProperties) throw fault(key, `must not have more than ${maxProperties} properties`);
    for (const name of names) {
      if (name.includes('\0')) throw nul(name);
      visit(name, (container as Record<string, unknown>)[name], depth + 1);
    }
  }
}

const nul = (key: string): HttpError => fault(key, 'must not contain the character U+0000');
const fault = (key: string, message: string): HttpError =>
  invalid([{ path: [key.replaceAll('\0', '').slice(0, 100).toWellFormed()], message }]);
