import type { NamedValues } from './named-values.ts';
import type { TypedSql } from './typed-sql.ts';

/** A prepared statement, parsed once per connection. With `typedSql` the type of its rows is known. */
export interface Statement<Text extends string | TypedSql<unknown> = string> {
  name: string;
  text: Text;
  /** Values in the order of `$1`, `$2`, … (at most five), or by name for `$botId` and the like. */
  values: unknown[] | NamedValues;
}

interface BoundText {
  text: string;
  names: readonly string[];
}

const named = /\$([a-z]\w*)/gi;
/** Each text is parsed once. Texts are constants, so there are as many as there are statements. */
const boundTexts = new Map<string, BoundText>();

/**
 * Converts a statement to Postgres's form: `$botId` becomes `$1`.
 * @throws when a name has no value, or a value has no name
 */
export function toNumbered(statement: Pick<Statement<string | TypedSql<unknown>>, 'text' | 'values'>): {
  text: string;
  values: unknown[];
} {
  const text = typeof statement.text === 'string' ? statement.text : statement.text.text;
  const { values } = statement;
  if (isNumbered(values)) return { text, values };
  const bound = boundTexts.get(text) ?? readNames(text);
  const { names } = bound;
  const ordered = names.map((name) => {
    if (values[name] === undefined) throw new Error(`the statement has no value for $${name}`);
    return values[name];
  });
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`the statement has no $${unknown}`);
  return { text: bound.text, values: ordered };
}

const isNumbered = (values: unknown[] | NamedValues): values is unknown[] => Array.isArray(values);

function readNames(text: string): BoundText {
  const names: string[] = [];
  const numbered = text.replace(named, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  const bound = { text: numbered, names };
  boundTexts.set(text, bound);
  return bound;
}
