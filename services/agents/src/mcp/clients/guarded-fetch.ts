import { type Egress, EgressError } from '@botyard/shared/http/egress/egress';
import { exceededBound } from '@botyard/shared/json/json-bounds';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import type { FetchLike } from '@modelcontextprotocol/client';

/**
 * How the last message went, whatever the library makes of it. Resuming a stream and ending a session change nothing
 * about what became of a message.
 */
export interface Transfers {
  /** The status of the last answer. */
  status: number | undefined;
  /** Why the last request got no whole answer. */
  error: EgressError | undefined;
  /** Notifications that cancel a call and are being sent. They never reject. */
  cancellations: Promise<unknown>[];
}

interface Guard {
  egress: Egress;
  /** The authorization. It is sent to this origin only. */
  headers: Readonly<Record<string, string>>;
  origin: string;
  timeoutMs: number;
  /** For a call of a tool, whose server may report progress, and for the rest of its stream. */
  callTimeoutMs: number;
  /** For all answers together. */
  maxBytes: number;
  transfers: Transfers;
}

const bounds = { maxValues: 100_000, maxDepth: 64 };

/**
 * `fetch` for the library's transport: through the egress guard, to one origin, within bounds. Redirects aren't
 * followed. A stream for messages that answer no request isn't opened: nothing here would read them.
 */
export function guardedFetch({
  egress,
  origin,
  headers,
  timeoutMs,
  callTimeoutMs,
  maxBytes,
  transfers,
}: Guard): FetchLike {
  let bytesLeft = maxBytes;
  return async (address, init = {}) => {
    const url = new URL(address);
    const own = Object.fromEntries(new Headers(init.headers));
    const method = init.method === 'DELETE' || init.method === 'POST' ? init.method : 'GET';
    if (url.origin !== origin)
      throw new EgressError('refused', 'the server named an address of another origin');
    if (method === 'GET' && !own['last-event-id']) return new Response(null, { status: 405 });
    const sentMethod = methodIn(init.body);
    const isCancellation = sentMethod === 'notifications/cancelled';
    const isOfCall = method === 'GET' || sentMethod === 'tools/call';
    const request = {
      method,
      headers: { ...own, ...headers },
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      maxBytes: bytesLeft,
      timeoutMs: isOfCall ? callTimeoutMs : timeoutMs,
      ...(init.signal ? { signal: init.signal } : {}),
    } as const;
    const isMessage = method === 'POST' && !isCancellation;
    const answer = Promise.withResolvers<Response>();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const fail = (error: unknown) => {
      if (isMessage && error instanceof EgressError) transfers.error = error;
      answer.reject(error);
      return writer.abort(error);
    };
    if (isMessage) transfers.error = undefined;
    const transfer = egress
      .stream(url.href, request, async ({ status, headers: given, content }) => {
        if (isMessage) transfers.status = status;
        if (status >= 300 && status < 400) throw new EgressError('refused', 'redirects are not followed');
        const isStream = given['content-type']?.startsWith('text/event-stream') === true;
        answer.resolve(responseOf(status, given, readable));
        for await (const chunk of isStream ? content : wholly(content)) {
          bytesLeft -= chunk.length;
          await writer.write(chunk);
        }
        await writer.close();
      })
      .catch(fail)
      .catch(() => undefined);
    if (isCancellation) transfers.cancellations.push(transfer);
    return await answer.promise;
  };
}

/** The method of JSON-RPC that a message of ours has. */
const methodIn = (body: unknown): unknown =>
  typeof body === 'string' ? Object(parseForeignJson(body)).method : undefined;

const withoutBody = new Set([204, 205, 304]);

function responseOf(
  status: number,
  given: Readonly<Record<string, string | string[] | undefined>>,
  body: ReadableStream<Uint8Array>,
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) if (typeof value === 'string') headers.set(name, value);
  if (!withoutBody.has(status)) return new Response(body, { status, headers });
  void body.cancel();
  return new Response(null, { status, headers });
}

/** The whole body at once, so that its bounds are checked before it is parsed. */
async function* wholly(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (exceededBound(body, bounds)) throw new EgressError('too large', 'the answer has too many parts');
  yield body;
}
