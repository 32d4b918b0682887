import { type Finish, readFinish, shownReason } from './finish.ts';
import { isRecord, type JsonRecord, parseJson, recordOf, textOrNothing } from './json.ts';
import { withoutThoughts } from './thoughts.ts';

/** A call of a tool in any provider's form. */
export interface PlainCall {
  id: string;
  name: string;
  /** Always an object, or whatever else the model wrote in its place. */
  input: unknown;
  /** Fields that the provider added to the call. They go back with it, unread, within the turn. */
  extras: JsonRecord;
}

/** An answer of any provider, before it is put into the form that the SDK reads. */
export interface PlainAnswer {
  text: string;
  calls: readonly PlainCall[];
  /** Fields of the message beside its text and calls, such as signed thoughts, which go back within the turn. */
  extras: JsonRecord;
  thoughtUnits: number;
  /** How thoughts stood in the text, if any did. */
  thinks: 'marked' | 'unmarked' | undefined;
  finish: Finish;
  /** The provider's own word for the end. */
  finishReason: string | null;
}

interface Read {
  text: string;
  calls: readonly PlainCall[];
  extras?: JsonRecord;
  /** Thoughts that came apart from the text. */
  thoughts?: string;
  reason: unknown;
  /** Without a text or a call, a declined answer counts as filtered. */
  isDeclined?: boolean;
}

/** `mustThink`: this model's thoughts are known to begin without a marker. */
export function plainAnswer(
  { text, calls, extras = {}, thoughts = '', reason, isDeclined = false }: Read,
  { mustThink = false } = {},
): PlainAnswer {
  const finish = isDeclined ? 'filtered' : calls.some(isCut) ? 'cut' : readFinish(reason);
  const said = withoutThoughts(text, { mustThink: mustThink && finish === 'cut' && thoughts === '' });
  return {
    text: said.text,
    calls: withOwnIds(calls),
    extras,
    thoughtUnits: said.thoughtUnits + thoughts.length,
    thinks: said.beginsWithThoughts ? 'unmarked' : said.thoughtUnits > 0 ? 'marked' : undefined,
    finish,
    finishReason: shownReason(reason),
  };
}

/** Some servers report calls that the longest answer cut off as complete. */
const isCut = ({ input }: PlainCall): boolean =>
  typeof input === 'string' && /^\s*\{/.test(input) && !/\}\s*$/.test(input);

/** Missing and repeated ids are replaced: each result has to find its call. */
function withOwnIds(calls: readonly PlainCall[]): PlainCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const isUsable = call.id !== '' && !taken.has(call.id);
    const id = isUsable ? call.id : freeId(index, taken);
    taken.add(id);
    return { ...call, id };
  });
}

function freeId(index: number, taken: ReadonlySet<string>): string {
  const base = crypto.randomUUID().replaceAll('-', '').slice(0, 8);
  const id = `${base}${index % 10}`;
  return taken.has(id) ? freeId(index + 1, taken) : id;
}

/** How often a text may be JSON in JSON. */
const maxEncodings = 3;

/**
 * The arguments of a call: an object, its JSON, JSON in JSON, or nothing for a tool without parameters. Any other text
 * stays as it is, so that the tool's refusal tells the model about it.
 */
export function readArguments(given: unknown): unknown {
  let value = given;
  for (let encodings = 0; typeof value === 'string' && encodings < maxEncodings; encodings += 1) {
    if (value.trim() === '') return {};
    const parsed = parseJson(unfenced(value));
    if (parsed === undefined) return value;
    value = parsed;
  }
  return value === null || value === undefined ? {} : value;
}

const unfenced = (text: string): string =>
  /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;

/** A content that is a text, a list of parts, or nothing, with the thoughts among its parts. */
export function readContent(content: unknown): { text: string; thoughts: string } {
  if (typeof content === 'string') return { text: content, thoughts: '' };
  const parts = Array.isArray(content) ? content : isRecord(content) ? [content] : [];
  let [text, thoughts] = ['', ''];
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    const { type, ...rest } = recordOf(part);
    if (isThought(type) || rest.thought === true) thoughts += textIn(part);
    else if (type === undefined || type === 'text' || type === 'output_text')
      text += textOrNothing(rest.text);
  }
  return { text, thoughts };
}

const isThought = (type: unknown): boolean => typeof type === 'string' && /think|thought|reason/.test(type);

/** The texts within a part of thoughts, for their length. */
function textIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(textIn).join('');
  const { text, thinking, reasoning, content } = recordOf(part);
  return [text, thinking, reasoning, content]
    .map((value) => (value === undefined ? '' : textIn(value)))
    .join('');
}

export const thoughtsIn = (value: unknown): string => textIn(value);
