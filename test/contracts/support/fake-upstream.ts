import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Heard {
  method: string;
  url: string;
  identity: string | undefined;
  body: string;
}

/** A service as the gateway sees it: an address that answers as a test scripts. */
export class FakeUpstream {
  readonly heard: Heard[] = [];
  answer: { status: number; body: unknown } = { status: 204, body: null };
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((req, res) => {
      const { method = '', url = '', headers } = req;
      if (url === '/readyz' || url === '/healthz') return void res.writeHead(200).end('{}');
      let body = '';
      req.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      req.on('end', () => {
        this.heard.push({ method, url, identity: headers['x-botyard-identity'] as string, body });
        const { status, body: content } = this.answer;
        res.writeHead(status, { 'content-type': 'application/json' });
        res.end(content === null ? undefined : JSON.stringify(content));
      });
    });
  }

  static async open(): Promise<FakeUpstream> {
    const upstream = new FakeUpstream();
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
