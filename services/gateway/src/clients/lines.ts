import type { Duplex } from 'node:stream';
import { Client } from 'undici';

/** One connection at a time, which is opened when it is needed; one request at a time goes over it. */
export class Line {
  readonly client: Client;
  #socket: Duplex | undefined;

  constructor(origin: string, connect: () => Promise<Duplex>) {
    this.client = new Client(origin, {
      allowH2: false,
      // Deadlines are the caller's.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, done) => {
        connect().then(
          (socket) => {
            this.#socket = socket;
            done(null, socket as Parameters<typeof done>[1] & Duplex);
          },
          (error: Error) => done(error, null),
        );
      },
    });
  }

  get socket(): Duplex | undefined {
    return this.#socket;
  }
}

interface LinesOptions {
  origin: string;
  most: number;
  maxFree: number;
  /** Whether the one that was free longest is next, so that all have work. */
  isInTurn: boolean;
  connect: () => Promise<Duplex>;
}

/** Lines to a service. Who finds none free waits for one. */
export class Lines {
  readonly #options: LinesOptions;
  readonly #free: Line[] = [];
  readonly #waiting: ((line: Line) => void)[] = [];
  #count = 0;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  take(): Line | Promise<Line> {
    const { origin, most, isInTurn, connect } = this.#options;
    const free = isInTurn ? this.#free.shift() : this.#free.pop();
    if (free) return free;
    if (this.#count >= most) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#count += 1;
    return new Line(origin, connect);
  }

  /** To be called once for each line that was taken. */
  give(line: Line): void {
    const next = this.#waiting.shift();
    if (next) next(line);
    else if (this.#free.length < this.#options.maxFree) this.#free.push(line);
    else this.#end(line);
  }

  /** Connections that nobody uses at this moment. */
  freeSockets(): Duplex[] {
    return this.#free.flatMap(({ socket }) => socket ?? []);
  }

  close(): void {
    for (const line of this.#free.splice(0)) this.#end(line);
  }

  #end(line: Line): void {
    this.#count -= 1;
    void line.client.destroy();
  }
}
