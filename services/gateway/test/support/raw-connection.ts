import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const headerEnd = '\r\n\r\n';

/** Sends requests as bytes, one after another on a connection that is kept for as long as the server keeps it. */
export class RawConnection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = '';
  #settle: (() => void) | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Status of the answer; 0 when the server closed without one. */
  async send(request: string): Promise<number> {
    const socket = this.#socket ?? (await this.#open());
    this.#received = '';
    const answered = new Promise<void>((resolve) => {
      this.#settle = resolve;
    });
    socket.write(Buffer.from(request, 'latin1'));
    await answered;
    return Number(this.#received.split(' ', 2)[1] ?? 0);
  }

  close(): void {
    this.#socket?.destroy();
  }

  async #open(): Promise<Socket> {
    const socket = connect(this.#port, '127.0.0.1').setEncoding('latin1');
    await once(socket, 'connect');
    socket.on('data', (text) => {
      this.#received += text;
      if (this.#isWhole()) this.#settle?.();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#settle?.();
    });
    this.#socket = socket;
    return socket;
  }

  /** Every answer of the gateway has a length; one that ends the connection is whole when that has ended. */
  #isWhole(): boolean {
    const end = this.#received.indexOf(headerEnd);
    if (end < 0) return false;
    const head = this.#received.slice(0, end);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    if (/^connection: *close/im.test(head) || length === undefined) return false;
    return this.#received.length >= end + headerEnd.length + Number(length);
  }
}
