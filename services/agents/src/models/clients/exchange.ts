import { setTimeout as pause } from 'node:timers/promises';
import type { ModelProtocol } from '@botyard/contracts/providers';
import { type Adjustments, adjustableIn, adjusted, limitIn } from './adjustments.ts';
import { ChatStreamReader, eventsOf, MessagesStreamReader, type StreamReader } from './answer-stream.ts';
import { ModelError, type ModelFailure } from './call-failure.ts';
import { readChatAnswer } from './chat-answer.ts';
import { type JsonRecord, parseJson, recordOf } from './json.ts';
import type { LearnedAdjustments, ModelPlace } from './learned-adjustments.ts';
import { readMessagesAnswer } from './messages-answer.ts';
import { withOwnFields } from './own-fields.ts';
import type { PlainAnswer } from './plain-answer.ts';
import { errorIn, faultOf } from './provider-fetch.ts';
import { readUsage, type SaidUsage } from './read-answer.ts';
import { type Refusal, readRefusal, refusedIn } from './refusal.ts';
import type { RetryBudget } from './retry-budget.ts';
import { ThoughtStream } from './thought-stream.ts';
import { tokensOfRequest } from './tokens.ts';
import type { ModelCall } from './wire.ts';

/** The result of one exchange with a provider. */
export interface Exchanged {
  answer: PlainAnswer;
  /** The usage that a streamed answer reported. */
  usage?: SaidUsage;
  leftOut: readonly string[];
}

interface Exchange {
  call: ModelCall;
  protocol: ModelProtocol;
  place: ModelPlace;
  learned: LearnedAdjustments;
  /** Reaches the provider, with the retries for a failing server. */
  reach: typeof fetch;
  retries: RetryBudget;
}

/** The most refusals of one call that are answered with another form of the request. */
const maxAdjustments = 5;
/** Retries of an answer that ends with the provider's failure. */
const maxRetries = 2;
const firstPauseMs = 500;
/** The least room for an answer in a window that is nearly full, and the reserve for what the estimate misses. */
const leastOutputTokens = 256;
const reserveTokens = 64;
/** A smaller window is no model's. */
const leastContextTokens = 512;

/**
 * Sends a call to a provider, and reads the answer. If the provider refuses a part of the request, it is asked again
 * without it, and what helped is remembered. An answer that ends with the provider's failure is retried.
 * @throws ModelError; the signal's reason.
 */
export async function exchange(of: Exchange, [input, init]: Parameters<typeof fetch>): Promise<Exchanged> {
  const { call, protocol, place, learned, reach } = of;
  const written = recordOf(parseJson(String(init?.body)));
  const unadjusted = withOwnFields(withStream(written, of), call.messages);
  const learnedAdjustments = learned.of(place, call.agentChangedAt);
  const request: Request = {
    known: learnedAdjustments,
    adjustments: learnedAdjustments,
    room: roomInWindow(learnedAdjustments, call),
    adjusting: 0,
  };
  for (let failures = 0; ; ) {
    call.onBegin?.();
    const stream = new ThoughtStream({
      onText: (text) => call.onText?.(text),
      holdsBeginning: learned.mayBeginWithThoughts(place),
    });
    const { adjustments, room } = request;
    const maxOutputTokens = least(adjustments.maxOutputTokens, room);
    const body = adjusted(unadjusted, { ...adjustments, maxOutputTokens });
    const response = await reach(input, { ...init, body: JSON.stringify(body) });
    const read = await readAnswer(response, { protocol, stream, call, adjustments });
    if ('error' in read) {
      adjust(of, request, { body, error: read.error, headers: response.headers, stream });
    } else if (read.answer.finish === 'failed') {
      failures += 1;
      await beforeRetry(of, { read, stream, failures });
    } else {
      stream.end(read.answer.text);
      remember(of, { known: learnedAdjustments, adjustments, answer: read.answer });
      const present = adjustableIn(unadjusted, protocol);
      return { ...read, leftOut: adjustments.leftOut.filter((name) => present.has(name)) };
    }
  }
}

/** The form of the request so far. */
interface Request {
  known: Adjustments;
  adjustments: Adjustments;
  /** The longest answer that the window has room for beside this question. */
  room: number | undefined;
  adjusting: number;
}

interface ReadError {
  status: number;
  text: string;
}

/** Changes the request to one that the provider may accept. @throws ModelError when there is none. */
function adjust(
  { call, protocol, place, learned }: Exchange,
  request: Request,
  {
    body,
    error,
    headers,
    stream,
  }: { body: JsonRecord; error: ReadError; headers: Headers; stream: ThoughtStream },
): void {
  const { status, text } = error;
  const refusal = readRefusal(status, text, call.apiKey);
  if (!refusal) throw faultOf({ status, headers }, text, call.apiKey) ?? new ModelError('unavailable');
  if (request.adjusting >= maxAdjustments || hasSaid(call, stream)) throw refusedBy(refusal, status);
  const { known, adjustments } = request;
  const next = suggestedBy(refusal, { body, protocol, adjustments });
  const { contextTokens = 0 } = refusal;
  if (contextTokens >= leastContextTokens) request.adjustments = { ...adjustments, contextTokens };
  if (!next) {
    if (request.adjustments.contextTokens !== known.contextTokens)
      learned.learn(place, { ...known, contextTokens: request.adjustments.contextTokens });
    throw refusedBy(refusal, status);
  }
  request.adjusting += 1;
  request.adjustments = { ...request.adjustments, ...next.adjustments };
  request.room = least(request.room, next.room);
}

/** @throws ModelError when the answer that the provider failed to end can't be asked for again. */
async function beforeRetry(
  { call, retries }: Exchange,
  { read, stream, failures }: { read: Pick<Exchanged, 'answer'>; stream: ThoughtStream; failures: number },
): Promise<void> {
  if (hasSaid(call, stream) || failures > maxRetries || !retries.spend())
    throw new ModelError('unavailable', { reason: `it ended with ${read.answer.finishReason}` });
  await pause(firstPauseMs * 2 ** failures * Math.random(), undefined, { signal: call.signal });
}

/** Whether something was passed on that can't be withdrawn. */
const hasSaid = ({ onBegin }: ModelCall, stream: ThoughtStream): boolean => stream.hasPassed && !onBegin;

function withStream(body: JsonRecord, { call, protocol }: Exchange): JsonRecord {
  if (!call.onText) return body;
  return {
    ...body,
    stream: true,
    ...(protocol === 'anthropic' ? {} : { stream_options: { include_usage: true } }),
  };
}

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

/** An answer shares the model's window with the question. */
const roomInWindow = ({ contextTokens }: Adjustments, call: ModelCall): number | undefined =>
  contextTokens && Math.max(leastOutputTokens, contextTokens - tokensOfRequest(call) - reserveTokens);

/** Another form of the request that the refusal suggests. */
function suggestedBy(
  refusal: Refusal,
  { body, protocol, adjustments }: { body: JsonRecord; protocol: ModelProtocol; adjustments: Adjustments },
): { adjustments?: Partial<Adjustments>; room?: number } | undefined {
  const limit = limitIn(body);
  const requestedTokens = limit ? Number(body[limit]) : 0;
  const longest = roomIn(refusal);
  if (longest !== undefined && longest < requestedTokens)
    return refusal.kind === 'request' ? { adjustments: { maxOutputTokens: longest } } : { room: longest };
  if (refusal.kind !== 'request') return undefined;
  const refused = refusedIn(refusal, adjustableIn(body, protocol));
  return refused && { adjustments: { leftOut: [...new Set([...adjustments.leftOut, refused])] } };
}

/** The longest answer that the provider would allow. */
function roomIn({ kind, maxOutputTokens, contextTokens, inputTokens }: Refusal): number | undefined {
  if (kind === 'request') return maxOutputTokens;
  if (kind !== 'length' || contextTokens === undefined || inputTokens === undefined) return undefined;
  const room = contextTokens - inputTokens - reserveTokens;
  return room >= leastOutputTokens ? room : undefined;
}

const failures: Readonly<Record<Refusal['kind'], ModelFailure>> = {
  content: 'content refused',
  length: 'too long',
  request: 'refused',
};

const refusedBy = ({ kind, reason, contextTokens }: Refusal, status: number): ModelError =>
  new ModelError(failures[kind], { status, reason, contextTokens, cause: new Error(`${status}: ${reason}`) });

/** Remembers what helped, now that the model has answered. */
function remember(
  { learned, place }: Exchange,
  { known, adjustments, answer }: { known: Adjustments; adjustments: Adjustments; answer: PlainAnswer },
): void {
  const { thinks = known.thinks } = answer;
  if (adjustments !== known || thinks !== known.thinks)
    learned.learn(place, { ...adjustments, ...(thinks ? { thinks } : {}) });
  else if (!thinks && answer.text !== '' && answer.finish === 'complete') learned.noteBeginning(place);
}

interface Reading extends Pick<Exchange, 'protocol' | 'call'> {
  stream: ThoughtStream;
  adjustments: Adjustments;
}

type ReadOrError = Omit<Exchanged, 'leftOut'> | { error: ReadError };

async function readAnswer(
  response: Response,
  { protocol, stream, call, adjustments }: Reading,
): Promise<ReadOrError> {
  if (!response.ok) return { error: { status: response.status, text: await response.text() } };
  const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream');
  const whole = isStream
    ? await readStream(response, { protocol, stream, call })
    : parseJson(await response.text());
  const error = errorIn(whole);
  if (error) return { error };
  const read = protocol === 'anthropic' ? readMessagesAnswer : readChatAnswer;
  const answer = read(recordOf(whole), { mustThink: adjustments.thinks === 'unmarked' });
  if (!answer) throw new ModelError('unusable answer');
  return isStream ? { answer, usage: readUsage(recordOf(whole).usage) } : { answer };
}

/** The whole answer, or the error that the stream broke off with. */
async function readStream(
  response: Response,
  { protocol, stream, call }: Omit<Reading, 'adjustments'>,
): Promise<JsonRecord> {
  const reader: StreamReader =
    protocol === 'anthropic' ? new MessagesStreamReader(stream) : new ChatStreamReader(stream);
  let isDone = false;
  for await (const event of eventsOf(response.body as AsyncIterable<Uint8Array>)) {
    call.signal.throwIfAborted();
    if (event !== 'done' && errorIn(event)) return event;
    if (event === 'done') isDone = true;
    else reader.push(event);
  }
  const whole = reader.end();
  if (!whole || !(isDone || reader.hasEnding)) throw new ModelError('unavailable');
  return whole;
}
