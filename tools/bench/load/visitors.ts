import { createHmac, randomUUID } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { within } from '@botyard/shared/work/within';

/** A web chat, and the site that may show it. */
export interface VisitedChat {
  port: number;
  botId: string;
  origin: string;
  /** Visitors are signed in at the site: new ones who are not would have to do a proof of work. */
  identitySecret: string;
}

/** Far below the requests that one address may make in a minute. */
const visitorsOfAddress = 40;
const atOnce = 20;
const answeredWithinMs = 120_000;

/** Each group of visitors has an address of its own: all of 127.0.0.0/8 is this machine. */
const addressOf = (visitor: number): string => `127.0.1.${1 + Math.floor(visitor / visitorsOfAddress)}`;

interface Visitor {
  number: number;
  token: string;
  /** Answers that its window got, by their identifiers. */
  answers: Set<string>;
  repeated: number;
  answered: () => void;
}

/** Windows of a web chat, each with one open stream. */
export class Visitors {
  readonly #chat: VisitedChat;
  readonly #all: Visitor[] = [];
  readonly #closing = new AbortController();

  constructor(chat: VisitedChat) {
    this.#chat = chat;
  }

  get answers(): number {
    return this.#all.reduce((sum, { answers }) => sum + answers.size, 0);
  }

  get repeated(): number {
    return this.#all.reduce((sum, { repeated }) => sum + repeated, 0);
  }

  /** Opens this many windows: each writes a first message, and waits for its answer. */
  async open(count: number): Promise<void> {
    await inTurns(count, async (number) => {
      const visitor: Visitor = { number, token: '', answers: new Set(), repeated: 0, answered: () => {} };
      const userId = `visitor ${number}`;
      const hmac = createHmac('sha256', this.#chat.identitySecret).update(userId).digest('hex');
      const { token } = await this.#say(visitor, { identity: { userId, hmac } });
      if (typeof token !== 'string') throw new Error('a visitor has got no session');
      visitor.token = token;
      this.#all.push(visitor);
      await this.#answered(visitor, async () =>
        this.#listen(visitor, await this.#post('stream', number, { token })),
      );
    });
  }

  /** Every visitor writes once, and waits for the answer. Resolves with the seconds that it took. */
  async sayAll(): Promise<number> {
    const begin = performance.now();
    await inTurns(this.#all.length, async (index) => {
      const visitor = this.#all[index]!;
      await this.#answered(visitor, () => this.#say(visitor, { token: visitor.token }));
    });
    return (performance.now() - begin) / 1000;
  }

  close(): void {
    this.#closing.abort();
  }

  async #say(visitor: Visitor, who: object): Promise<Record<string, unknown>> {
    const line = { ...who, clientId: randomUUID(), text: `#${visitor.number}#` };
    const answer = await this.#post('messages', visitor.number, line);
    return JSON.parse(await textOf(answer)) as Record<string, unknown>;
  }

  async #answered(visitor: Visitor, ask: () => Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<true>();
    visitor.answered = () => resolve(true);
    await ask();
    if (!(await within(answeredWithinMs, promise))) throw new Error('a visitor has got no answer');
  }

  #post(path: string, visitor: number, line: object): Promise<IncomingMessage> {
    const { port, botId, origin } = this.#chat;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = {
      port,
      host: '127.0.0.1',
      localAddress: addressOf(visitor),
      agent: false,
      method: 'POST',
      path: `/webhooks/webchat/${botId}/${path}`,
      headers: { 'content-type': 'text/plain;charset=UTF-8', origin },
      signal: this.#closing.signal,
    };
    const sent = request(options, (answer) => {
      if (answer.statusCode === 200) return resolve(answer);
      answer.resume();
      reject(new Error(`a visitor's request to ${path} returned ${answer.statusCode}`));
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(line));
    return promise;
  }

  #listen(visitor: Visitor, stream: IncomingMessage): void {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('error', () => {});
    stream.on('data', (chunk: string) => {
      const blocks = `${rest}${chunk}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(visitor, block);
    });
  }
}

function take(visitor: Visitor, block: string): void {
  const [, data] = /^event: message\ndata: (.*)$/m.exec(block) ?? [];
  if (data === undefined) return;
  const { id, author } = JSON.parse(data) as { id: string; author: string };
  if (author !== 'bot') return;
  if (visitor.answers.has(id)) visitor.repeated += 1;
  visitor.answers.add(id);
  visitor.answered();
}

/** Runs work for each number, so many at a time. */
async function inTurns(count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
