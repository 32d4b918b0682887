/** The sandbox model's calls of an app's `save_record`. It fills the fields of the tool's schema from a sentence. */
import type { ModelReply, OfferedTool } from '@botyard/testing/fake-model';
import { shorten } from './prepared-answers.ts';

type Schema = {
  type?: string;
  format?: string;
  enum?: string[];
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
};

const wantsToSave =
  /\b(?:book|appointment|ticket|report|note|remember|save|nobody knows)\b|^\/(?:book|ticket|ask)\b/i;
const wantsToFind = /\b(?:which|my|what) (?:tickets?|appointments?|records?)\b/i;
/** A fixed date, so that the same words get the same answer every day. */
const someDay = '2030-01-15';

/** Returns `undefined` if no such tool is offered or the words don't ask for a record. */
export function recordCallFor(tools: readonly OfferedTool[], text: string): ModelReply | undefined {
  const named = (name: string) => tools.find((tool) => tool.name === name);
  const [save, find] = [named('save_record'), named('find_records')];
  if (find && wantsToFind.test(text)) return callOf(find, { type: typeIn(find) });
  if (!save || !wantsToSave.test(text)) return undefined;
  const { fields = {} } = (save.parameters as Schema).properties ?? {};
  const shape = fields.anyOf?.[0] ?? fields;
  const values = Object.entries(shape.properties ?? {}).flatMap(([name, given]) => {
    // JSON Schema has no format for a time of day without a time zone.
    const schema = name === 'time' ? { ...given, format: 'time' } : given;
    const value = valueFor(schema, text);
    const isWanted = shape.required?.includes(name) || isSaid(schema, text);
    return isWanted ? [[name, value] as const] : [];
  });
  return callOf(save, { type: typeIn(save), fields: Object.fromEntries(values) });
}

const callOf = ({ name }: OfferedTool, args: Record<string, unknown>): ModelReply => ({
  toolCalls: [{ name, arguments: args }],
});

const typeIn = ({ parameters }: OfferedTool): string => {
  const { type } = (parameters as Schema).properties ?? {};
  return type?.enum?.[0] ?? '';
};

const patterns: Readonly<Record<string, RegExp>> = {
  date: /\b\d{4}-\d{2}-\d{2}\b/,
  time: /\b\d{1,2}:\d{2}\b/,
  email: /\b[\w.+-]+@[\w-]+\.[\w.]+\w/,
};

const isSaid = ({ format = '' }: Schema, text: string): boolean => patterns[format]?.test(text) === true;

function valueFor({ type, format = '', enum: options, maxLength = 200 }: Schema, text: string): unknown {
  const said = patterns[format]?.exec(text)?.[0];
  if (options) return options.find((option) => text.toLowerCase().includes(option)) ?? options[0];
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return Number(/\d+/.exec(text)?.[0] ?? 1);
  if (format === 'date') return said ?? someDay;
  if (format === 'time') return (said ?? '10:00').padStart(5, '0');
  if (format === 'email') return said ?? 'somebody@example.com';
  return shorten(text, Math.min(maxLength, 200) - 1);
}
