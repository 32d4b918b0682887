import { ModelError } from './call-failure.ts';
import { thoughtFields } from './chat-answer.ts';
import { isRecord, type JsonRecord, listOf, parseJson, recordOf, textOrNothing } from './json.ts';
import { readContent, thoughtsIn } from './plain-answer.ts';
import type { ThoughtStream } from './thought-stream.ts';

type Open = Record<string, unknown>;

/** Puts the parts of a streamed answer together, so that it is read like a whole one. */
export interface StreamReader {
  push(event: JsonRecord): void;
  /** Whether the provider has said why the answer ended. */
  readonly hasEnding: boolean;
  /** The whole answer. `undefined` for a stream that broke off. */
  end(): JsonRecord | undefined;
}

const maxEventUnits = 4 * 1024 * 1024;

/** The data of server-sent events, parsed. @throws ModelError for what is no JSON. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<JsonRecord | 'done'> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  const end = (): JsonRecord | 'done' | undefined => {
    const text = data.join('\n').trim();
    data = [];
    if (text === '') return undefined;
    if (text === '[DONE]') return 'done';
    const parsed = parseJson(text);
    if (!isRecord(parsed)) throw new ModelError('unusable answer');
    return parsed;
  };
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > maxEventUnits) throw new ModelError('unusable answer');
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
      const event = line === '' ? end() : undefined;
      if (event) yield event;
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice('data:'.length));
  const last = end();
  if (last) yield last;
}

/** Reads a stream of OpenAI's Chat Completions. */
export class ChatStreamReader implements StreamReader {
  readonly #stream: ThoughtStream;
  readonly #message: Open = {};
  readonly #calls: Open[] = [];
  #choice: Open | undefined;
  #rest: Open = {};
  #content = '';
  #thoughts: unknown[] = [];

  constructor(stream: ThoughtStream) {
    this.#stream = stream;
  }

  push({ choices, ...event }: JsonRecord): void {
    this.#rest = { ...this.#rest, ...withoutNulls(event) };
    const [choice] = listOf(choices)
      .filter((one) => !recordOf(one).index)
      .map(recordOf);
    if (!choice) return;
    const { delta, message, ...ending } = choice;
    this.#choice = { ...this.#choice, ...withoutNulls(ending) };
    // A server that ends with the whole message repeats what it has sent.
    const isRepeated = message !== undefined && delta === undefined && this.#content !== '';
    if (!isRepeated) this.#read(recordOf(delta ?? message));
  }

  #read(delta: JsonRecord): void {
    for (const field of [...thoughtFields, 'refusal'])
      if (delta[field] !== undefined && delta[field] !== null)
        this.#message[field] = joined(this.#message[field], delta[field]);
    const { text, thoughts } = readContent(delta.content);
    if (thoughts !== '') this.#thoughts.push({ type: 'thinking', thinking: thoughts });
    if (thoughts !== '' || thoughtFields.some((field) => thoughtsIn(delta[field]) !== ''))
      this.#stream.releaseBeginning();
    this.#content += text;
    if (text !== '') this.#stream.push(text);
    for (const call of listOf(delta.tool_calls)) this.#readCall(recordOf(call));
    const { function_call } = delta;
    if (isRecord(function_call)) this.#readCall({ index: 0, function: function_call });
  }

  #readCall({ index, id, function: part, ...extras }: JsonRecord): void {
    const callId = textOrNothing(id);
    const { name, arguments: given, ...more } = recordOf(part);
    const call = this.#callOf(index, callId) ?? this.#newCall(index);
    if (callId !== '') call.id = callId;
    Object.assign(call, withoutNulls(extras));
    const inner = call.function as Open;
    Object.assign(inner, withoutNulls(more));
    // Some servers repeat the name, or a longer part of it, in every chunk.
    const receivedName = textOrNothing(inner.name);
    if (textOrNothing(name).startsWith(receivedName)) inner.name = name;
    if (typeof given === 'string') inner.arguments = textOrNothing(inner.arguments) + given;
    else if (given !== null && given !== undefined) inner.arguments = given;
  }

  /** The call that a chunk continues: by its index or its id; without both it is the latest. */
  #callOf(index: unknown, id: string): Open | undefined {
    const isOther = (call: Open | undefined) => call?.id !== undefined && id !== '' && call.id !== id;
    if (typeof index === 'number') {
      const atIndex = this.#calls.findLast((call) => call.index === index);
      return isOther(atIndex) ? this.#calls.find((call) => call.id === id) : atIndex;
    }
    return id === '' ? this.#calls.at(-1) : this.#calls.find((call) => call.id === id);
  }

  #newCall(index: unknown): Open {
    const call: Open = { index: index ?? this.#calls.length, function: {} };
    this.#calls.push(call);
    return call;
  }

  end(): JsonRecord | undefined {
    if (!this.#choice && this.#content === '' && this.#calls.length === 0) {
      return Object.keys(this.#rest).length > 0 ? { choices: [], ...this.#rest } : undefined;
    }
    const text = { type: 'text', text: this.#content };
    const message = {
      ...this.#message,
      content: this.#thoughts.length > 0 ? [...this.#thoughts, text] : this.#content,
      ...(this.#calls.length > 0 ? { tool_calls: this.#calls } : {}),
    };
    return { ...this.#rest, choices: [{ ...this.#choice, message }] };
  }

  get hasEnding(): boolean {
    return this.#choice?.finish_reason !== undefined || this.#choice?.error !== undefined;
  }
}

function joined(before: unknown, part: unknown): unknown {
  if (typeof part === 'string') return textOrNothing(before) + part;
  if (Array.isArray(part)) return [...listOf(before), ...part];
  return part;
}

const withoutNulls = (record: JsonRecord): Open =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== undefined));

/** Reads a stream of Anthropic's Messages. */
export class MessagesStreamReader implements StreamReader {
  readonly #stream: ThoughtStream;
  readonly #blocks = new Map<unknown, Open>();
  #message: Open | undefined;

  constructor(stream: ThoughtStream) {
    this.#stream = stream;
  }

  get hasEnding(): boolean {
    return Boolean(this.#message?.stop_reason);
  }

  push(event: JsonRecord): void {
    const { type, index } = event;
    if (type === 'message_start') this.#message = { ...recordOf(event.message) };
    if (type === 'content_block_start') this.#start(index, recordOf(event.content_block));
    if (type === 'content_block_delta') this.#change(index, recordOf(event.delta));
    if (type === 'message_delta') this.#endMessage(event);
  }

  #start(index: unknown, block: JsonRecord): void {
    this.#blocks.set(index, { ...block });
    if (/thinking/.test(String(block.type))) this.#stream.releaseBeginning();
    if (block.type === 'text' && block.text) this.#stream.push(textOrNothing(block.text));
  }

  #change(index: unknown, { type, text, thinking, signature, partial_json: json }: JsonRecord): void {
    const block = this.#blocks.get(index) ?? { type: 'text' };
    this.#blocks.set(index, block);
    const append = (field: string, part: unknown) => {
      block[field] = textOrNothing(block[field]) + textOrNothing(part);
    };
    if (type === 'text_delta') {
      append('text', text);
      this.#stream.push(textOrNothing(text));
    }
    if (type === 'thinking_delta') append('thinking', thinking);
    if (type === 'signature_delta') append('signature', signature);
    if (type === 'input_json_delta') append('json', json);
  }

  #endMessage({ delta, usage }: JsonRecord): void {
    const before = recordOf(this.#message?.usage);
    this.#message = {
      ...this.#message,
      ...withoutNulls(recordOf(delta)),
      usage: { ...before, ...withoutNulls(recordOf(usage)) },
    };
  }

  end(): JsonRecord | undefined {
    if (!this.#message) return undefined;
    const content = [...this.#blocks.values()].map(({ json, ...block }) =>
      textOrNothing(json) === '' ? block : { ...block, input: json },
    );
    return { ...this.#message, content };
  }
}
