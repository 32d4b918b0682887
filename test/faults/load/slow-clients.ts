import { connect, type Socket } from 'node:net';
import { eventually } from '@botyard/testing/eventually';

/** How each begins; after that a byte comes now and then, and never the last one. */
const beginnings = [
  'GET /api/current-user HTTP/1.1\r\nHost: slow\r\nX-Slow: ',
  `POST /webhooks/messenger/${crypto.randomUUID()} HTTP/1.1\r\nHost: slow\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"`,
] as const;
const byteEveryMs = 1000;
/** They aren't in step: at each tick a part of them sends its byte. */
const ticksPerByte = 50;

/** They come one after the other within this time, so that their time isn't up at the same moment either. */
const allWithinMs = 20_000;

/** Slow clients: half of them send the head of a request slowly, half the body. A refused client retries. */
export class SlowClients {
  readonly #urls: readonly string[];
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #tick = 0;
  #isOver = false;
  /** How many were turned away. */
  turnedAway = 0;

  private constructor(urls: string[], count: number) {
    this.#urls = urls;
    const beganAt = performance.now();
    let opened = 0;
    this.#timer = setInterval(() => {
      const due = count * Math.min(1, (performance.now() - beganAt) / allWithinMs);
      while (opened < due) this.#open(opened++);
      this.#drip();
    }, byteEveryMs / ticksPerByte);
  }

  /** Resolves when as many are connected. */
  static async connect(urls: string[], count: number): Promise<SlowClients> {
    const clients = new SlowClients(urls, count);
    await eventually('all are connected', () => clients.count >= count * 0.95);
    return clients;
  }

  get count(): number {
    return [...this.#sockets].filter(({ readyState }) => readyState === 'open').length;
  }

  close(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(number: number): void {
    const { hostname, port } = new URL(this.#urls[number % this.#urls.length] ?? '');
    const socket = connect(Number(port), hostname);
    this.#sockets.add(socket);
    socket.write(beginnings[Math.floor(number / this.#urls.length) % beginnings.length] ?? '');
    socket.resume();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#isOver) return;
      this.turnedAway += 1;
      this.#open(number);
    });
  }

  #drip(): void {
    this.#tick = (this.#tick + 1) % ticksPerByte;
    for (const [number, socket] of [...this.#sockets].entries()) {
      if (number % ticksPerByte === this.#tick && socket.readyState === 'open') socket.write('a');
    }
  }
}
