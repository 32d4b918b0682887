import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: string;
  body: string;
}

/** Sends bytes unchanged, which no client library would do, and reads until the server closes. Status 0: no answer. */
export function sendRaw(port: number, request: string): Promise<RawAnswer> {
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(request, 'latin1')));
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.on('close', () => {
    const [headers = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
    resolve({ status: Number(headers.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') });
  });
  return promise;
}

/** A GET of a target exactly as written. */
export function getRaw(port: number, target: string, headers: readonly string[] = []): Promise<RawAnswer> {
  const lines = [`GET ${target} HTTP/1.1`, 'Host: gateway', 'Connection: close', ...headers];
  return sendRaw(port, `${lines.join('\r\n')}\r\n\r\n`);
}
