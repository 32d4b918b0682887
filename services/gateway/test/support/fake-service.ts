import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  rawHeaders: string[];
  body: string;
}

/** A service behind the gateway: records requests, and answers as scripted. */
export class FakeService {
  readonly arrivals: ReceivedRequest[] = [];
  /** By default: 200 and the address that was asked for. */
  answer: RequestListener = (req, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ url: req.url }));
  };
  /** The status of `/readyz`; 0 never answers. */
  readiness = 200;
  readinessAsked = 0;
  /** Answers with this status before the body has been read. */
  answerEarly: number | undefined;
  connections = 0;
  #url = '';
  #waiting: { count: number; resolve: () => void }[] = [];
  readonly #server: Server = createServer((req, res) => {
    if (req.url === '/readyz') return this.#answerReadiness(res);
    // The gateway reads the service's clock there.
    if (req.url === '/healthz') return void res.end('{}');
    if (this.answerEarly) {
      res.writeHead(this.answerEarly).end();
      return;
    }
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = req;
      this.arrivals.push({ method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() });
      this.answer(req, res);
      for (const { count, resolve } of this.#waiting) if (this.arrivals.length >= count) resolve();
    });
  });

  /** Does not change when the service is stopped. */
  get url(): string {
    return this.#url;
  }

  /** Resolves once so many requests have come. */
  arrived(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    if (this.arrivals.length >= count) resolve();
    return promise;
  }

  get last(): ReceivedRequest {
    const last = this.arrivals.at(-1);
    if (!last) throw new Error('nothing arrived');
    return last;
  }

  constructor() {
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  async start(port = 0): Promise<this> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, '127.0.0.1', resolve);
    await promise;
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  #answerReadiness(res: ServerResponse): void {
    this.readinessAsked += 1;
    if (this.readiness === 0) return;
    res.statusCode = this.readiness;
    res.end('{}');
  }
}
