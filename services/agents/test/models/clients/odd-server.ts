import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createModelClient } from '../../../src/models/clients/model.ts';
import type { ModelAnswer, ModelCall } from '../../../src/models/clients/wire.ts';
import { addressesAt } from './addresses.ts';

// biome-ignore lint/suspicious/noExplicitAny: the bodies are what is tested
export type Body = any;

/** An answer of the server: a whole body with its status, or the data of a stream. */
export type OddAnswer =
  | { status?: number; body: unknown }
  | { stream: readonly unknown[]; isEnded?: boolean };

/** A server that answers like others do, with a client that calls it. Requests are kept in order. */
export class OddServer {
  readonly requests: Body[] = [];
  readonly deltas: string[] = [];
  readonly #server: Server;
  readonly #tenantId = crypto.randomUUID();
  #client: ReturnType<typeof createModelClient> | undefined;
  #answer: (request: Body, count: number) => OddAnswer = () => ({ body: {} });

  private constructor() {
    this.#server = createServer(async (req, res) => {
      const parts: Buffer[] = [];
      for await (const part of req) parts.push(part);
      const request = JSON.parse(Buffer.concat(parts).toString('utf8'));
      this.requests.push(request);
      const answer = this.#answer(request, this.requests.length);
      if ('body' in answer) {
        res.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
        res.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of answer.stream)
        res.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
      res.end(answer.isEnded === false ? '' : 'data: [DONE]\n\n');
    });
  }

  static async start(): Promise<OddServer> {
    const server = new OddServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    const { port } = server.#server.address() as AddressInfo;
    server.#client = createModelClient(addressesAt(`http://127.0.0.1:${port}/v1`));
    return server;
  }

  answers(answer: OddAnswer | ((request: Body, count: number) => OddAnswer)): this {
    this.requests.length = 0;
    this.deltas.length = 0;
    this.#answer = typeof answer === 'function' ? answer : () => answer;
    return this;
  }

  async ask(call: Partial<ModelCall> & { isStreamed?: boolean } = {}): Promise<ModelAnswer> {
    const { isStreamed = false, ...change } = call;
    return await this.#client!.complete({
      tenantId: this.#tenantId,
      provider: 'private-llm',
      model: crypto.randomUUID(),
      apiKey: null,
      keyHost: null,
      instructions: 'Help.',
      messages: [{ role: 'user', content: 'hello' }],
      tools: [],
      mustAnswer: false,
      maxOutputTokens: 1000,
      signal: AbortSignal.timeout(20_000),
      ...(isStreamed ? { onText: (text: string) => void this.deltas.push(text) } : {}),
      ...change,
    });
  }

  close(): void {
    this.#server.close().closeAllConnections();
  }
}

/** An answer of Chat Completions with this message. */
export const chat = (message: object, finish: string | null = 'stop', more: object = {}): OddAnswer => ({
  body: {
    id: 'a',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    ...more,
  },
});

/** The chunks of a streamed answer of Chat Completions. */
export const chunks = (...deltas: readonly object[]) =>
  deltas.map((delta) =>
    'choices' in delta || 'error' in delta ? delta : { choices: [{ index: 0, delta }] },
  );

export const ending = (reason: string | null) => ({
  choices: [{ index: 0, delta: {}, finish_reason: reason }],
});

/** An answer of Messages with these blocks. */
export const message = (content: unknown, stop: string | null = 'end_turn'): OddAnswer => ({
  body: { id: 'm', type: 'message', role: 'assistant', model: 'm', content, stop_reason: stop },
});

export const add = {
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
};
