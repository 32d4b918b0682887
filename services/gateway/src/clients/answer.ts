import type { ServerResponse } from 'node:http';
import { currentContext } from '@botyard/shared/tracing/context';
import { isEventStream } from './event-stream.ts';

/** How a service's answer begins; names in lower case. */
export interface AnswerHead {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of the client's request. The current context is none of it: a connection's events come in that of the request that opened it. */
  requestId: string | undefined;
}

/** The gateway's own headers, which every answer has. Those of a service by these names are dropped. */
const ownHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' } as const;
const requestIdHeader = 'X-Request-Id';

/** What concerns one connection only, or tells of our insides, or would open the API to other origins. */
const keptBack = new Set([
  ...[...Object.keys(ownHeaders), requestIdHeader].map((name) => name.toLowerCase()),
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'x-powered-by', 'server'],
]);
const keptBackBeginnings = ['proxy-', 'x-botyard-', 'access-control-'];

/** For an answer of the gateway itself. */
export function setOwnHeaders(res: ServerResponse): void {
  const requestId = currentContext()?.requestId;
  if (requestId) res.setHeader(requestIdHeader, requestId);
  for (const [name, value] of Object.entries(ownHeaders)) res.setHeader(name, value);
}

/**
 * Begins the client's answer as the service began its own. The headers go to Node as one list, which costs less than to set each. None
 * may be set before.
 */
export function beginAnswer(res: ServerResponse, { status, headers, requestId }: AnswerHead): void {
  const list: (string | string[])[] = [];
  if (requestId) list.push(requestIdHeader, requestId);
  for (const [name, value] of ownList) list.push(name, value);
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !isKeptBack(name)) list.push(name, value);
  }
  // For the server's drain, which ends streams and knows them by this.
  if (isEventStream(headers['content-type'])) res.setHeader('content-type', 'text/event-stream');
  res.writeHead(status, list as string[]);
}

const ownList = Object.entries(ownHeaders);

const isKeptBack = (name: string): boolean =>
  keptBack.has(name) || keptBackBeginnings.some((beginning) => name.startsWith(beginning));
