import { Agent, request } from 'node:http';
import type { Delivery } from '../delivery.ts';

export interface Sent {
  delivery: Delivery;
  /** The status, or 0 if there was no response. */
  status: number;
  text: string;
}

const timeoutMs = 40_000;
/** The time after which a truncated delivery is abandoned. */
const cutOffMs = 100;

export const createAgent = (connections: number): Agent =>
  new Agent({ keepAlive: true, maxSockets: connections });

/** Posts a delivery byte for byte. */
export function send(agent: Agent, { url }: { url: string }, delivery: Delivery): Promise<Sent> {
  const { method, path, headers, body, isCutOff } = delivery;
  const { hostname, port } = new URL(url);
  const hasLength = headers.some((text) => text === 'content-length');
  const all = [
    'host',
    `${hostname}:${port}`,
    ...headers,
    ...(hasLength ? [] : ['content-length', String(body.length)]),
  ];
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const nothing = (text: string) => resolve({ delivery, status: 0, text });
  const outgoing = request({ agent, hostname, port, method, path, headers: all, timeout: timeoutMs });
  outgoing.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', (error) => nothing(error.message));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ delivery, status: response.statusCode ?? 0, text });
      if (isCutOff) outgoing.destroy();
    });
  });
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  outgoing.on('error', (error) => nothing(error.message));
  if (!isCutOff) outgoing.end(body);
  else {
    outgoing.write(body);
    setTimeout(() => outgoing.destroy(), cutOffMs);
  }
  return promise;
}

/** Describes a sent delivery in one line. */
export function describeSent({ delivery, status, text }: Sent): string {
  const { method, path, headers, body, trick, secret } = delivery;
  const shown = body.toString('latin1');
  const content = shown.length > 400 ? `${shown.slice(0, 400)}… (${body.length} bytes)` : shown;
  return `${method} ${path} [${trick}; secret ${secret}] ${JSON.stringify(headers)} ${JSON.stringify(content)} -> ${status} ${text.slice(0, 200)}`;
}
