import { type Context, contextFrom, currentContext, runInContext } from './context.ts';

type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
/** Names, numbers and states; never a secret or people's text. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  kind: SpanKind;
  attributes?: Attributes;
}

/** A span that is open. */
export interface Span {
  set(attributes: Attributes): void;
  /** Only the kind of an error is recorded. */
  fail(error: unknown): void;
  end(): void;
}

/** Destination of spans. Exists only in processes that have a collector. */
export interface SpanSink {
  begin(name: string, start: SpanStart, context: Context): Span;
}

const silent: Span = { set: () => undefined, fail: () => undefined, end: () => undefined };
let sink: SpanSink | undefined;

/** Sends this process's spans to the sink from now on; `undefined` stops it. */
export function sendSpansTo(next: SpanSink | undefined): void {
  sink = next;
}

/** Opens the span of a context, such as that of a request. Costs nothing without sampling. */
export function beginSpan(name: string, start: SpanStart, context = currentContext()): Span {
  return sink && context?.sampled ? sink.begin(name, start, context) : silent;
}

/** Runs work as the span that the current context represents. */
export async function inOwnSpan<Result>(
  name: string,
  start: SpanStart,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = beginSpan(name, start);
  try {
    return await work(span);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Runs work as a step of the current work, with its own span and context. */
export async function inSpan<Result>(
  name: string,
  start: SpanStart,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const parent = currentContext();
  if (!sink || !parent?.sampled) return await work(silent);
  return await runInContext(parent.child(), () => inOwnSpan(name, start, work));
}

/** Runs deferred work as a span of the trace that requested it. */
export async function inTraceOf<Result>(
  origin: { traceparent: string | null | undefined; tenantId: string },
  { name, ...start }: SpanStart & { name: string },
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const context = contextFrom({ traceparent: origin.traceparent });
  context.tenantId = origin.tenantId;
  return await runInContext(context, () => inOwnSpan(name, start, work));
}
