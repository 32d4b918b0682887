/** An MCP server of both eras of the protocol, on loopback. It can be made to misbehave. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { readBody } from './fake-server.ts';

export interface FakeMcpTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  icons?: unknown[];
}

interface ReceivedMessage {
  /** The method of JSON-RPC, or that of HTTP for requests without a message. */
  method: string;
  headers: IncomingHttpHeaders;
  params: Record<string, unknown> | undefined;
  /** The result, if it is the answer to a request of the server. */
  result?: unknown;
}

type ToolReply = { content: unknown[]; structuredContent?: unknown; isError?: boolean };

/** Answers a request itself, and returns whether it did. */
type Misbehaviour = (message: ReceivedMessage, res: ServerResponse, id: unknown) => boolean;

export class FakeMcpServer {
  tools: FakeMcpTool[] = [{ name: 'echo', description: 'Repeats a text.' }];
  instructions = '';
  /** The value of `Authorization` that it wants. */
  authorization: string | undefined;
  era: 'both' | 'modern' | 'legacy' = 'both';
  reply: (name: string, input: Record<string, unknown>) => ToolReply | Promise<ToolReply> = (
    name,
    input,
  ) => ({
    content: [{ type: 'text', text: `${name}: ${JSON.stringify(input)}` }],
  });
  misbehave: Misbehaviour = () => false;
  readonly received: ReceivedMessage[] = [];
  readonly #http = createServer((req, res) => void this.#answer(req, res));

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(port, '127.0.0.1', resolve));
    return this;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/mcp`;
  }

  /** The inputs of all calls that reached it, whether they were answered or not. */
  get calls(): unknown[] {
    return this.received
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params?.arguments);
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = req;
    const body = await readBody(req);
    const message = body.length > 0 ? JSON.parse(body.toString()) : {};
    const { params, result } = message;
    const received = { method: message.method ?? method, headers, params, result };
    this.received.push(received);
    if (this.authorization !== undefined && headers.authorization !== this.authorization) {
      res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    if (this.misbehave(received, res, message.id)) return;
    if (this.era === 'legacy' && headers['mcp-protocol-version'] === '2026-07-28') {
      res.writeHead(400).end('unknown version');
      return;
    }
    const request = new Request(this.url, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]),
      ...(method === 'POST' ? { body: new Uint8Array(body) } : {}),
    });
    const answer = await this.#handler().fetch(request);
    res.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const chunk of answer.body) res.write(chunk);
    res.end();
  }

  #handler() {
    return createMcpHandler(() => this.#server(), this.era === 'modern' ? { legacy: 'reject' } : {});
  }

  #server(): Server {
    const { instructions } = this;
    const server = new Server({ name: 'fake', version: '1' }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler('tools/list', () => ({
      tools: this.tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool }) as never),
    }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      return (await this.reply(params.name, params.arguments ?? {})) as never;
    });
    return server;
  }
}
