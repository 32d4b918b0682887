import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

/**
 * A keep-alive connection for one request at a time. As a client it is cheap compared with the measured server. If the
 * server closes the connection, the next request reopens it.
 */
export class HttpConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #settle: ((status: number) => void) | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async open(): Promise<void> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#drop(socket));
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
  }

  /** Resolves to the status, or to 0 if the connection ended without a response. */
  async send(request: string): Promise<number> {
    if (!this.#socket) await this.open();
    return await new Promise((resolve) => {
      if (!this.#socket || this.#socket.destroyed) return resolve(0);
      this.#settle = resolve;
      this.#socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #drop(socket: Socket): void {
    if (this.#socket === socket) this.#socket = undefined;
    this.#received = Buffer.alloc(0);
    this.#answer(0);
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headEnd);
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    if (!isWhole(head, this.#received.subarray(end + headEnd.length))) return;
    this.#received = Buffer.alloc(0);
    if (/\r\nconnection: close/i.test(head)) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    this.#answer(Number(head.slice(9, 12)));
  }

  #answer(status: number): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(status);
  }
}

function isWhole(head: string, body: Buffer): boolean {
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length !== undefined) return body.length >= Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(head))
    return body.subarray(-lastChunk.length).equals(lastChunk);
  return true;
}
