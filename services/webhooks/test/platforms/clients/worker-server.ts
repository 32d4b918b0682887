import { Worker } from 'node:worker_threads';

/**
 * A server on a separate thread that answers every POST. It works while the main loop is blocked, so a test can block
 * the loop until something has arrived.
 */
export class WorkerServer {
  readonly port: number;
  readonly #worker: Worker;
  /** Requests that came, and that were answered; whether all connections are ended. */
  readonly #figures: Int32Array;

  private constructor(worker: Worker, figures: Int32Array, port: number) {
    this.#worker = worker;
    this.#figures = figures;
    this.port = port;
  }

  static async start(): Promise<WorkerServer> {
    const figures = new Int32Array(new SharedArrayBuffer(12));
    const worker = new Worker(serve, { eval: true, workerData: figures });
    const port = await new Promise<number>((resolve) => worker.once('message', resolve));
    return new WorkerServer(worker, figures, port);
  }

  get received(): number {
    return Atomics.load(this.#figures, 0);
  }

  get answered(): number {
    return Atomics.load(this.#figures, 1);
  }

  /** Answers held requests to `/held`. Blocks the main loop until that many were answered in total. */
  answerHeld(count: number): void {
    this.#worker.postMessage('answer');
    while (this.answered < count) Atomics.wait(this.#figures, 1, this.answered);
  }

  /** The main loop stands still until the server has ended all its connections. */
  endConnections(): void {
    Atomics.store(this.#figures, 2, 0);
    this.#worker.postMessage('end');
    Atomics.wait(this.#figures, 2, 0);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

const serve = `
  const { createServer } = require('node:http');
  const { parentPort, workerData: figures } = require('node:worker_threads');
  const [received, answered, ended] = [0, 1, 2];
  const sockets = new Set();
  let held = [];
  const count = (figure) => {
    Atomics.add(figures, figure, 1);
    Atomics.notify(figures, figure);
  };
  const server = createServer((request, response) => {
    const answer = () => response.end('{"ok":true}', () => count(answered));
    request.resume().on('end', () => {
      // Before the answer, which another thread may read before this one continues.
      count(received);
      if (request.url === '/held') held.push(answer);
      else answer();
    });
  }).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
  server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
  const orders = {
    answer: () => held.splice(0).forEach((answer) => answer()),
    end: async () => {
      await Promise.all([...sockets].map((socket) => new Promise((done) => socket.on('close', done).destroy())));
      count(ended);
    },
  };
  parentPort.on('message', (order) => orders[order]());
`;
