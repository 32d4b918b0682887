import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Sends JSON. Express would also look up settings of the app and check whether the client has the response cached. */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  sendBody(res, status, JSON.stringify(value));
}

/** Shorter bodies gain nothing that a person on a slow line would notice. */
const minCompressedBytes = 2048;
/** About a third of the CPU of the default level, for answers that are a tenth larger. */
const level = 3;
const acceptsGzip = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0{0,3})?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;

/**
 * Sends a list as JSON, compressed for a client that asks for it. Callers send a token in a header, which no foreign
 * page can make a browser do, so nobody else can measure the sizes of answers with text of their own in it.
 */
export async function sendList(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  items: unknown,
): Promise<void> {
  const body = JSON.stringify(items);
  res.setHeader('Vary', 'Accept-Encoding');
  if (body.length < minCompressedBytes || !acceptsGzip.test(req.headers['accept-encoding'] ?? '')) {
    sendBody(res, status, body);
    return;
  }
  const packed = await promisify(gzip)(body, { level });
  res.setHeader('Content-Encoding', 'gzip');
  sendBody(res, status, packed);
}

function sendBody(res: ServerResponse, status: number, body: string | Buffer): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}
