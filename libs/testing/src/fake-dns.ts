/** A name server with TXT records only, over UDP on loopback. `address` is the value for `DNS_SERVERS`. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const typeTxt = 16;
const headerBytes = 12;
const maxString = 255;

const codes = { 'no error': 0, 'server failure': 2, 'no such name': 3 } as const;

export class FakeDns {
  #closing: Promise<void> | undefined;
  readonly #socket = createSocket('udp4');
  readonly #records = new Map<string, string[]>();
  /** How it answers every query; `silent` doesn't answer. */
  mood: 'well' | 'server failure' | 'silent' = 'well';
  /** Queried names, in order. */
  readonly asked: string[] = [];

  constructor() {
    this.#socket.on('message', (query, { port, address }) => {
      const answer = this.#answer(query);
      if (answer) this.#socket.send(answer, port, address);
    });
  }

  async listen(port = 0): Promise<this> {
    this.#socket.bind(port, '127.0.0.1');
    await once(this.#socket, 'listening');
    this.#socket.unref();
    return this;
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Sets the TXT records of a name. Without values, the name no longer exists. */
  setTxt(name: string, values: readonly string[]): void {
    if (values.length === 0) this.#records.delete(name.toLowerCase());
    else this.#records.set(name.toLowerCase(), [...values]);
  }

  get records(): { name: string; values: string[] }[] {
    return [...this.#records].map(([name, values]) => ({ name, values }));
  }

  /** May be called more than once. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #answer(query: Buffer): Buffer | undefined {
    const question = readQuestion(query);
    if (!question || this.mood === 'silent') return undefined;
    this.asked.push(question.name);
    if (this.mood === 'server failure') return answerTo(query, question.end, 'server failure', []);
    const values = this.#records.get(question.name);
    if (!values) return answerTo(query, question.end, 'no such name', []);
    return answerTo(query, question.end, 'no error', question.type === typeTxt ? values : []);
  }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } | undefined {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at]; length !== 0; length = query[at]) {
    if (length === undefined || length > 63) return undefined;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (at + 5 > query.length) return undefined;
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(
  query: Buffer,
  questionEnd: number,
  code: keyof typeof codes,
  values: readonly string[],
): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  // A response, with recursion desired and available.
  header.writeUInt16BE(0x8180 | codes[code], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(values.length, 6);
  return Buffer.concat([header, query.subarray(headerBytes, questionEnd), ...values.map(txtRecord)]);
}

function txtRecord(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const strings: Buffer[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += maxString) {
    const part = bytes.subarray(at, at + maxString);
    strings.push(Buffer.from([part.length]), part);
  }
  const data = Buffer.concat(strings);
  const head = Buffer.alloc(12);
  // The name refers to the question's name.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(typeTxt, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(1, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

export const startFakeDns = (): Promise<FakeDns> => new FakeDns().listen();
