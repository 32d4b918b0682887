import type { ServerResponse } from 'node:http';

/**
 * Answers with JSON. Express does the same and looks for more: settings of the app, and whether the client has the
 * answer already.
 */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  res.statusCode = status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}
