/**
 * A model server for both kinds of provider: OpenAI's `/v1/chat/completions` and Anthropic's `/v1/messages`, streaming
 * or not, with tools, and `/v1/models` in the caller's format. It answers "ok" until a test changes that; token counts
 * follow from lengths (four characters are a token).
 */
import type { ServerResponse } from 'node:http';
import { type Answer, type Call, FakePlatform } from './fake/fake-server.ts';
import { RecordLog } from './fake/record-log.ts';
import { anthropicMessages, anthropicTools } from './model/anthropic-request.ts';
import { anthropicAnswer, anthropicError } from './model/anthropic-wire.ts';
import { type KeyState, keyOf, modelListOnWire, modelOnWire, refusalOf } from './model/keys.ts';
import { streamAnswer } from './model/stream.ts';
import { offeredTools, resultsAtEnd, toolFaultOf } from './model/tools.ts';
import {
  type ChatMessage,
  type Completion,
  complete,
  contentText,
  errorBody,
  type ModelRequest,
  type OfferedTool,
  type ToolCall,
  type ToolResult,
  type Usage,
  wholeAnswer,
} from './model/wire.ts';

export {
  type ChatMessage,
  contentText,
  type KeyState,
  type ModelRequest,
  type OfferedTool,
  type ToolCall,
  type ToolResult,
};

/** The model's answer: text, tool calls, or a refusal with an HTTP status. */
export type ModelReply =
  | string
  | { text?: string; toolCalls?: ToolCall[] }
  | { status: number; body?: unknown; retryAfter?: number };

type Replier = (request: ModelRequest) => ModelReply | Promise<ModelReply>;

export type FakeModelOptions = {
  port?: number;
  /** Defaults to loopback. */
  host?: string;
  /** If set, requests without it are refused. */
  apiKey?: string;
  /** The models in `/v1/models`; requests may use any name. */
  models?: string[];
  reply?: Replier;
  /** Pause between the words of a stream. */
  chunkDelayMs?: number;
};

export class FakeModel extends FakePlatform {
  readonly requests = new RecordLog<ModelRequest>();
  /** Answered requests, and the tokens reported for them. */
  readonly answered = new RecordLog<{ request: ModelRequest; usage: Usage }>();
  readonly #apiKey: string | undefined;
  readonly #models: string[];
  readonly #keys = new Map<string, { state: KeyState; retryAfter: number | undefined }>();
  #chunkDelayMs: number;
  #reply: Replier;
  #wordsBeforeFailure: number | undefined;
  #hanging: PromiseWithResolvers<void> | undefined;
  #pending = 0;
  #nextId = 1;

  constructor(options: FakeModelOptions = {}) {
    super();
    this.#apiKey = options.apiKey;
    this.#models = options.models ?? ['fake-model'];
    this.#chunkDelayMs = options.chunkDelayMs ?? 0;
    this.#reply = options.reply ?? (() => 'ok');
  }

  async start(port?: number, host?: string): Promise<this> {
    return this.listen({ port, host, basePath: '/v1' });
  }

  override async close(): Promise<void> {
    this.release();
    await super.close();
  }

  /** Number of chat calls that are neither answered nor cancelled by the caller. */
  get pending(): number {
    return this.#pending;
  }

  /** Once a key is set, all unknown keys are refused. `retryAfter` (seconds) goes with `rate limited`. */
  setKey(key: string, state: KeyState, { retryAfter }: { retryAfter?: number } = {}): void {
    this.#keys.set(key, { state, retryAfter });
  }

  /** Accepts any key again. */
  forgetKeys(): void {
    this.#keys.clear();
  }

  replyWith(reply: string | Replier): void {
    this.#reply = typeof reply === 'string' ? () => reply : reply;
  }

  /**
   * Uses these replies one after the other, then the previous reply again. `{ toolCalls: [{ name, arguments }] }`
   * calls tools.
   */
  replyInTurn(...replies: (ModelReply | Replier)[]): void {
    const before = this.#reply;
    const left = [...replies];
    this.#reply = (request) => {
      const next = left.shift() ?? before;
      return typeof next === 'function' ? next(request) : next;
    };
  }

  /** Delays every chat answer; 0 removes the delay. */
  delayMs(ms: number): void {
    this.delay('chat', ms);
  }

  /** The next answer ends after this many words, with a failure of the provider. */
  failNextAfter(words: number): void {
    this.#wordsBeforeFailure = words;
  }

  /** The pause between the words of a stream from now on; 0 removes it. */
  delayWordsMs(ms: number): void {
    this.#chunkDelayMs = ms;
  }

  /** The next `times` (default 1) chat calls are refused. Connections are cut with `fail('chat', …)`. */
  failNext(error: { status: number; body?: unknown; retryAfter?: number; times?: number }): void {
    const { status, retryAfter } = error;
    const body = error.body ?? errorBody(status);
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    this.fail('chat', { status, body, headers, times: error.times ?? 1 });
  }

  /** Holds chat calls from now on until `release()`, which lets all of them be answered. */
  hang(): void {
    this.#hanging ??= Promise.withResolvers<void>();
  }

  release(): void {
    this.#hanging?.resolve();
    this.#hanging = undefined;
  }

  /** The next chat call to arrive, while it is in flight. */
  nextRequest(options: { timeoutMs?: number } = {}): Promise<ModelRequest> {
    return this.requests.waitForNext(undefined, options);
  }

  protected operationOf(_method: string, path: string): string {
    if (path === '/v1/audio/transcriptions') return 'transcriptions';
    if (path === '/v1/chat/completions' || path === '/v1/messages') return 'chat';
    return path.startsWith('/v1/models') ? 'models' : path;
  }

  protected async answer(call: Call, res: ServerResponse): Promise<Answer | undefined> {
    if (this.#apiKey !== undefined && keyOf(call) !== this.#apiKey) return refusalOf(call, 'bad', undefined);
    if (this.#keys.size > 0) {
      const { state, retryAfter } = this.#keys.get(keyOf(call)) ?? {
        state: 'bad' as const,
        retryAfter: undefined,
      };
      const refusal = refusalOf(call, state, retryAfter);
      if (refusal) return refusal;
    }
    if (call.operation === 'models' && call.method === 'GET') return this.#listModels(call);
    if (call.operation === 'chat' && call.method === 'POST') return this.#chat(call, res);
    if (call.operation === 'transcriptions') return transcription(call);
    return { status: 404, body: errorBody(404, `Unknown request URL: ${call.method} ${call.path}`) };
  }

  #listModels(call: Call): Answer {
    if (call.path === '/v1/models') return { status: 200, body: modelListOnWire(call, this.#models) };
    const wanted = this.#models.find((id) => call.path === `/v1/models/${id}`);
    return wanted === undefined
      ? { status: 404, body: errorBody(404, 'The model does not exist') }
      : { status: 200, body: modelOnWire(call, wanted) };
  }

  async #chat(call: Call, res: ServerResponse): Promise<Answer | undefined> {
    const request = requestOf(call);
    const refuse = (status: number, message?: string): Answer => ({
      status,
      body: request.protocol === 'anthropic' ? anthropicError(status, message) : errorBody(status, message),
    });
    const fault = faultOf(request);
    if (fault !== undefined) return refuse(400, fault);
    this.#pending += 1;
    res.once('close', () => {
      this.#pending -= 1;
    });
    this.requests.add(request);
    await this.#hanging?.promise;
    const reply = await this.#reply(request);
    if (typeof reply === 'object' && 'status' in reply)
      return {
        ...refuse(reply.status),
        ...(reply.body === undefined ? {} : { body: reply.body }),
        ...(reply.retryAfter === undefined ? {} : { headers: { 'retry-after': String(reply.retryAfter) } }),
      };
    const completion = this.#failing(
      complete(
        `chatcmpl-fake-${this.#nextId++}`,
        request,
        typeof reply === 'string' ? { text: reply } : reply,
      ),
    );
    this.answered.add({ request, usage: completion.usage });
    if (!request.stream) {
      const isAnthropic = request.protocol === 'anthropic';
      return { status: 200, body: isAnthropic ? anthropicAnswer(completion) : wholeAnswer(completion) };
    }
    await streamAnswer(res, { request, completion }, () => this.wait(this.#chunkDelayMs));
    return undefined;
  }

  #failing(completion: Completion): Completion {
    const words = this.#wordsBeforeFailure;
    this.#wordsBeforeFailure = undefined;
    if (words === undefined) return completion;
    return { ...completion, text: completion.text.split(' ', words).join(' '), finishReason: 'error' };
  }
}

function requestOf({ path, params: body, headers }: Call): ModelRequest {
  const isAnthropic = path === '/v1/messages';
  const chatMessages = Array.isArray(body.messages) ? (body.messages as ChatMessage[]) : [];
  const messages = isAnthropic ? anthropicMessages(body) : chatMessages;
  return {
    protocol: isAnthropic ? 'anthropic' : 'openai',
    model: typeof body.model === 'string' ? body.model : '',
    messages,
    tools: isAnthropic ? anthropicTools(body) : offeredTools(body.tools),
    toolResults: resultsAtEnd(messages),
    stream: body.stream === true,
    body,
    headers,
  };
}

/** Faults that the real servers refuse before they run a model. */
function faultOf({ protocol, model, messages, body }: ModelRequest): string | undefined {
  if (model === '') return 'you must provide a model parameter';
  if (messages.length === 0)
    return "Invalid 'messages': empty array. Expected an array with minimum length 1";
  if (protocol === 'anthropic' && typeof body.max_tokens !== 'number') return 'max_tokens: Field required';
  return toolFaultOf(messages);
}

/** Doesn't transcribe; its text contains the number of received bytes. */
function transcription({ params, body }: Call): Answer {
  if (typeof params.model !== 'string') return { status: 400, body: errorBody(400, 'model is required') };
  return {
    status: 200,
    body: { text: `I said something in a recording of about ${Math.ceil(body.length / 1024)} kB.` },
  };
}

/** Listens on its own port; `url` ends in `/v1`, as `PRIVATE_LLM_BASE_URL` and `OPENAI_BASE_URL` do. */
export function startFakeModel(options: FakeModelOptions = {}): Promise<FakeModel> {
  return new FakeModel(options).start(options.port, options.host);
}
