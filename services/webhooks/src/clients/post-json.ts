import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export interface JsonAnswer {
  status: number;
  retryAfter: string | undefined;
  /** `undefined` when it isn't JSON. */
  body: unknown;
}

/** Of a call with its answer. */
interface Bounds {
  timeoutMs: number;
  maxAnswerBytes: number;
}

/** A connection that was idle for longer may be closed by the other side just now: a call on it would be unclear. */
const mostIdleMs = 4000;
const keptOpen = { keepAlive: true, timeout: mostIdleMs, scheduling: 'lifo' } as const;
const agents = { 'http:': new HttpAgent(keptOpen), 'https:': new HttpsAgent(keptOpen) };

/**
 * Posts JSON and reads the answer, following nothing. It is what every message ends with: `fetch` costs three times as much, for
 * streams and headers that nobody reads. @throws Error with the system's `code`; what was sent may have arrived then.
 */
export async function postJson(url: URL, body: unknown, bounds: Bounds): Promise<JsonAnswer> {
  const content = Buffer.from(JSON.stringify(body));
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: isSecure ? agents['https:'] : agents['http:'],
      headers: { 'content-type': 'application/json', 'content-length': content.length, accept: '*/*' },
      signal: AbortSignal.timeout(bounds.timeoutMs),
    });
    request.once('response', resolve);
    request.on('error', reject);
    request.end(content);
  });
  const text = await readBounded(response, bounds.maxAnswerBytes);
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: parse(text) };
}

async function readBounded(response: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) throw new Error('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
