import type { Egress, EgressError } from '@botyard/shared/http/egress/egress';
import { foundNoConnection } from '@botyard/shared/http/no-connection';
import type {
  Client,
  JsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { guardedFetch, type Transfers } from './guarded-fetch.ts';

/**
 * `refused`: the address may not be called. `unauthorized`: the server wants another authorization. `unreachable`:
 * nothing was sent. `no answer`, `broken`: the request was sent, and there is no usable answer. `rejected`: an answer
 * of HTTP that says the request wasn't handled.
 */
type VisitFault =
  | 'refused'
  | 'unauthorized'
  | 'unreachable'
  | 'no answer'
  | 'too large'
  | 'rejected'
  | 'broken';

/** `message` has no text of the server. */
export class VisitError extends Error {
  override readonly name = 'VisitError';
  readonly fault: VisitFault;
  /** Whether a call may have reached the server, so that it may have had its effect. */
  mayHaveRun = false;

  constructor(fault: VisitFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Where a server is, and what authorizes calls of it. */
export interface ServerAddress {
  url: string;
  origin: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
}

/** One connection with a server. */
interface Visit {
  client: Client;
  /** The signal that ends the visit. */
  signal: AbortSignal;
  timeoutMs: number;
  /** Marks what follows as something with an effect. */
  begin(): void;
}

/** The tools of a server, as it lists them: foreign data of any form. */
interface ToolList {
  tools: readonly unknown[];
  /** How long the server says that they stay as they are; `undefined` if it doesn't. */
  ttlMs: number | undefined;
}

const maxVisitBytes = 4 * 1024 * 1024;
const maxPages = 40;
/** Reading a list takes no longer than this: somebody waits for it, behind a gateway that gives up after 10 s. */
const maxReadMs = 8000;

/** Reads all pages of a server's tools. @throws VisitError. */
export const readTools = (
  egress: Egress,
  address: ServerAddress,
  { maxTools }: { maxTools: number },
): Promise<ToolList> =>
  visit(
    egress,
    { ...address, timeoutMs: Math.min(address.timeoutMs, maxReadMs) },
    { maxMs: maxReadMs },
    async ({ client, signal, timeoutMs }) => {
      if (!client.getServerCapabilities()?.tools) return { tools: [], ttlMs: undefined };
      const { tools, ttlMs } = await client.listTools(undefined, { signal, timeout: timeoutMs });
      if (tools.length > maxTools)
        throw new VisitError('too large', `the server has more than ${maxTools.toLocaleString('en')} tools`);
      return { tools, ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : undefined };
    },
  );

interface VisitLimits {
  maxMs: number;
  cancelled?: AbortSignal | undefined;
  /** Whether the server may ask for forms to be filled in, by revision 2026-07-28. */
  answersForms?: boolean;
}

/**
 * Connects, and ends the connection afterwards. Every visit has a connection of its own, so a session that the server
 * has lost is never met again.
 */
export async function visit<Result>(
  egress: Egress,
  address: ServerAddress,
  { maxMs, cancelled, answersForms = false }: VisitLimits,
  use: (visit: Visit) => Promise<Result>,
): Promise<Result> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { url, timeoutMs } = address;
  const late = AbortSignal.timeout(maxMs);
  const signal = cancelled ? AbortSignal.any([late, cancelled]) : late;
  const transfers: Transfers = { status: undefined, error: undefined, cancellations: [] };
  const bounds = { callTimeoutMs: maxMs, maxBytes: maxVisitBytes };
  const fetch = guardedFetch({ ...address, ...bounds, egress, transfers });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch,
    reconnectionOptions: oneResumption,
  });
  const client = new Client({ name: 'botyard', version: '1' }, clientOptions(timeoutMs, answersForms));
  // In earlier revisions a question holds its call open, and no connection waits for a person.
  if (answersForms) client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  let hasBegun = false;
  try {
    await client.connect(transport, { signal, timeout: timeoutMs });
    return await use({
      client,
      signal,
      timeoutMs,
      begin: () => {
        hasBegun = true;
      },
    });
  } catch (error) {
    const failure = error instanceof VisitError ? error : toVisitError(error, transfers, signal.aborted);
    failure.mayHaveRun = hasBegun && !withoutEffect.has(failure.fault);
    throw failure;
  } finally {
    await leave(client, transport, transfers);
  }
}

/** Faults of requests that did nothing. */
const withoutEffect: ReadonlySet<VisitFault> = new Set([
  'refused',
  'unauthorized',
  'unreachable',
  'rejected',
]);

/** A stream that broke is resumed once. Nothing is sent again. */
const oneResumption = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 1,
};

/**
 * Asks for the newest revision of the protocol first. Nothing but forms is offered that a server could ask for. Schemas
 * of servers are never compiled.
 */
const clientOptions = (timeoutMs: number, answersForms: boolean) => ({
  capabilities: answersForms ? { elicitation: { form: {} } } : {},
  versionNegotiation: { mode: 'auto' as const, probe: { timeoutMs } },
  inputRequired: { autoFulfill: false },
  listMaxPages: maxPages,
  jsonSchemaValidator: {
    getValidator:
      <Value>(): JsonSchemaValidator<Value> =>
      (input) => ({ valid: true, data: input as Value, errorMessage: undefined }),
  },
});

const leaveTimeoutMs = 1000;

/** Sends what is still to be sent, and ends the session of an older revision, as far as the server lets us. */
async function leave(
  client: Client,
  transport: StreamableHTTPClientTransport,
  { cancellations }: Transfers,
): Promise<void> {
  // The library sends a cancellation shortly after it has given the call up.
  await new Promise(setImmediate);
  const ended = Promise.all(cancellations)
    .then(() => transport.terminateSession())
    .catch(() => undefined);
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, leaveTimeoutMs);
  await Promise.race([ended, late]);
  clearTimeout(timer);
  await client.close().catch(() => undefined);
}

function toVisitError(cause: unknown, { status, error }: Transfers, isLate: boolean): VisitError {
  if (isLate || isTimeout(cause))
    return new VisitError('no answer', 'the server did not answer in time', { cause });
  if (error) return fromEgress(error);
  if (status === 401 || status === 403)
    return new VisitError('unauthorized', `the server refuses the authorization (status ${status})`, {
      cause,
    });
  if (status !== undefined && (status >= 500 || status === 408))
    return new VisitError('broken', `the server answered with the status ${status}`, { cause });
  if (status !== undefined && status >= 400)
    return new VisitError('rejected', `the server answered with the status ${status}`, { cause });
  return new VisitError('broken', 'the server does not keep to the protocol', { cause });
}

const isTimeout = (error: unknown): boolean => (error as { code?: unknown }).code === 'REQUEST_TIMEOUT';

function fromEgress(error: EgressError): VisitError {
  const { fault, message } = error;
  switch (fault) {
    case 'refused':
      return new VisitError('refused', message, { cause: error });
    case 'timeout':
      return new VisitError('no answer', 'the server did not answer in time', { cause: error });
    case 'too large':
      return new VisitError('too large', message, { cause: error });
    case 'failed':
      return foundNoConnection(error)
        ? new VisitError('unreachable', 'the server could not be reached', { cause: error })
        : new VisitError('broken', 'the connection to the server broke', { cause: error });
  }
}
