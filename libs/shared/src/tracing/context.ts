import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** The context of a request or message, available in every layer without being passed along. */
export class Context {
  readonly requestId: string;
  readonly traceId: string;
  /** Half of a UUID, which is never zero. */
  readonly spanId = randomUUID().slice(19).replace('-', '');
  /** The causing span, here or in another process; absent where a trace begins. */
  readonly parentSpanId: string | undefined;
  readonly sampled: boolean;
  readonly #origin: { share: string | undefined };
  tenantId: string | undefined;
  principalId: string | undefined;

  constructor(fields: {
    requestId: string;
    traceId: string;
    parentSpanId?: string | undefined;
    sampled: boolean;
    /** The origin of the context that this one is a step of. */
    origin?: { share: string | undefined };
  }) {
    this.requestId = fields.requestId;
    this.traceId = fields.traceId;
    this.parentSpanId = fields.parentSpanId;
    this.sampled = fields.sampled;
    this.#origin = fields.origin ?? { share: undefined };
  }

  /**
   * The owner of the share that the work uses where requests wait for each other: the tenant or person of the checked
   * identity, or the address of a client without a login. `undefined` for messages, and once the request has ended:
   * loops that it woke go on without it.
   */
  get share(): string | undefined {
    return this.#origin.share;
  }

  set share(owner: string | undefined) {
    this.#origin.share = owner;
  }

  /** W3C `traceparent` header that names this context as the parent. */
  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-${this.sampled ? '01' : '00'}`;
  }

  /** The context of a step within this work. */
  child(): Context {
    const { requestId, traceId, spanId: parentSpanId, sampled, tenantId, principalId } = this;
    const child = new Context({ requestId, traceId, parentSpanId, sampled, origin: this.#origin });
    child.tenantId = tenantId;
    child.principalId = principalId;
    return child;
  }

  logFields(): Record<string, string> {
    const fields: Record<string, string> = { requestId: this.requestId, traceId: this.traceId };
    if (this.tenantId) fields.tenantId = this.tenantId;
    if (this.principalId) fields.principalId = this.principalId;
    return fields;
  }
}

const storage = new AsyncLocalStorage<Context>();
const traceparentShape = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const requestIdShape = /^[\w.-]{8,64}$/;

/** Whether a trace that begins here is sent to the collector. Set once, by the telemetry of the process. */
let decidesToSample: (() => boolean) | undefined;

export function sampleWith(decide: (() => boolean) | undefined): void {
  decidesToSample = decide;
}

/**
 * Continues the caller's trace if the headers name a valid one, otherwise begins a new trace. The sampling flag of an
 * untrusted caller counts only while this process sends no spans: otherwise strangers would decide how much is sent.
 */
export function contextFrom(
  headers: { traceparent?: unknown; requestId?: unknown },
  { isTrusted = true }: { isTrusted?: boolean } = {},
): Context {
  const parent = typeof headers.traceparent === 'string' ? traceparentShape.exec(headers.traceparent) : null;
  const traceId = parent?.[1] ?? randomUUID().replaceAll('-', '');
  const requestId =
    typeof headers.requestId === 'string' && requestIdShape.test(headers.requestId)
      ? headers.requestId
      : traceId;
  return new Context({
    requestId,
    traceId,
    parentSpanId: parent?.[2],
    sampled:
      parent && (isTrusted || !decidesToSample)
        ? (Number.parseInt(parent[3] ?? '0', 16) & 1) === 1
        : (decidesToSample?.() ?? false),
  });
}

export function currentContext(): Context | undefined {
  return storage.getStore();
}

export function runInContext<Result>(context: Context, work: () => Result): Result {
  return storage.run(context, work);
}
