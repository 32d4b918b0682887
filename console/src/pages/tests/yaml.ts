/** A value of JSON as YAML, in blocks. Texts are quoted as in JSON, which YAML reads alike. */
export const yamlOf = (value: object): string => `${linesOf(value).join('\n')}\n`;

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['[]'] : value.flatMap(itemLines);
  if (typeof value !== 'object' || value === null) return [scalarOf(value)];
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return entries.length === 0 ? ['{}'] : entries.flatMap(([name, part]) => fieldLines(name, part));
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

function fieldLines(name: string, part: unknown): string[] {
  const lines = linesOf(part);
  const key = /^[a-zA-Z_]\w*$/.test(name) && !reserved.test(name) ? name : scalarOf(name);
  return isBlock(part) ? [`${key}:`, ...indented(lines)] : [`${key}: ${lines[0]}`];
}

/** Words that YAML may read as something other than a text. */
const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function itemLines(item: unknown): string[] {
  const [first = '', ...rest] = linesOf(item);
  return [`- ${first}`, ...indented(rest)];
}

const isBlock = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && Object.keys(part).length > 0;

/** Characters that YAML takes for ends of lines are escaped. */
const scalarOf = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0085\u2028\u2029\ufeff\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
