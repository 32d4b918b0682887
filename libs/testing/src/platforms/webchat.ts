import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  Delivery,
  Group,
  Person,
  PlatformBot,
  PlatformDriver,
  Saying,
  Sent,
  Written,
} from './driver.ts';

const site = 'https://shop.example';
const reconnectsAfterMs = 200;
const headers = { 'content-type': 'text/plain;charset=UTF-8', origin: site };

/** The web chat is Botyard's own: the windows of visitors are its platform. */
export async function startWebchat(): Promise<PlatformDriver> {
  const closing = new AbortController();
  return {
    name: 'webchat',
    env: {},
    close: async () => closing.abort(),
    connect: async ({ gatewayUrl, botId, create }) => {
      const settings = { webchat: { allowedOrigins: [site] } };
      await create({ integrationType: 'webchat', credentials: {}, settings });
      return new WebchatBot({ gatewayUrl, path: `/webhooks/webchat/${botId}`, signal: closing.signal });
    },
  };
}

interface Site {
  gatewayUrl: string;
  path: string;
  signal: AbortSignal;
}

/** A visitor's window. */
interface Window {
  token?: string;
  /** The number of the newest change that it knows. */
  seq: number;
  sent: Sent[];
  typing: number;
  previews: (string | null)[];
}

class WebchatBot implements PlatformBot {
  readonly #site: Site;
  readonly #windows = new Map<Person, Window>();
  readonly #messageIds = new Map<Written, string>();

  constructor(site: Site) {
    this.#site = site;
  }

  /** The identifier is made with the first message. */
  newPerson(name: string): Person {
    const person = { id: '', name };
    this.#windows.set(person, { seq: 0, sent: [], typing: 0, previews: [] });
    return person;
  }

  write({ person, text, file }: Saying): Written {
    const { token } = this.#windows.get(person)!;
    const clientId = randomUUID();
    const line = {
      clientId,
      name: person.name,
      text,
      ...(token === undefined ? {} : { token }),
      ...(file ? { file: { name: file.name, kind: 'document' } } : {}),
    };
    return { id: clientId, person, delivery: this.#deliver('messages', line, file?.bytes) };
  }

  /** The window has its session by then. */
  repeat(delivery: Delivery, { person }: Written): Delivery {
    const { token } = this.#windows.get(person)!;
    return { ...delivery, body: JSON.stringify({ ...JSON.parse(String(delivery.body)), token }) };
  }

  forge(delivery: Delivery): Delivery {
    return { ...delivery, headers: { ...headers, origin: 'https://evil.example' } };
  }

  deliverBody(body: string): Delivery {
    return { path: `${this.#site.path}/messages`, headers, body };
  }

  /** The answer to the first message has the token of the visitor's session, with which the window listens. */
  answered(written: Written, body: string): Delivery | undefined {
    const { challenge, bits = 0, token, message } = JSON.parse(body) as Answer;
    if (challenge !== undefined) {
      const line = JSON.parse(String(written.delivery.body)) as Record<string, unknown>;
      return this.#deliver('messages', { ...line, proof: { challenge, nonce: nonceOf(challenge, bits) } });
    }
    if (message) this.#messageIds.set(written, message.id);
    const window = this.#windows.get(written.person)!;
    if (token === undefined || window.token !== undefined) return undefined;
    window.token = token;
    void this.#stayConnected(window);
    return undefined;
  }

  remove(written: Written): Delivery {
    const { token } = this.#windows.get(written.person)!;
    return this.#deliver('deletions', { token, messageId: this.#messageIds.get(written) });
  }

  /** A pressed button is a message of the window. */
  press(_sent: Sent, label: string, person: Person): Delivery {
    return this.write({ person, text: label }).delivery;
  }

  rate({ id }: Sent, rating: 'up' | 'down' | null, person: Person): Delivery[] {
    const { token } = this.#windows.get(person)!;
    return [this.#deliver('ratings', { token, messageId: id, rating })];
  }

  /** The mark travels with the next message. */
  read(_sent: Sent, person: Person): Delivery {
    const { token, seq } = this.#windows.get(person)!;
    return this.#deliver('messages', { token, clientId: randomUUID(), text: 'Thank you', readTo: seq });
  }

  tooFast(): number {
    return 0;
  }

  sentTo(place: Person | Group): readonly Sent[] {
    return this.#windows.get(place as Person)?.sent ?? [];
  }

  typingSeen(person: Person): number {
    return this.#windows.get(person)!.typing;
  }

  previewsSeen(person: Person): readonly (string | null)[] {
    return this.#windows.get(person)!.previews;
  }

  #deliver(name: string, content: Record<string, unknown>, file?: Buffer): Delivery {
    const line = JSON.stringify(content);
    const body = file ? new Uint8Array(Buffer.concat([Buffer.from(`${line}\n`), file])) : line;
    return { path: `${this.#site.path}/${name}`, headers, body };
  }

  async #stayConnected(window: Window): Promise<void> {
    const { signal } = this.#site;
    while (!signal.aborted) {
      await this.#listen(window).catch(() => undefined);
      await pause(reconnectsAfterMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #listen(window: Window): Promise<void> {
    const { gatewayUrl, path, signal } = this.#site;
    const body = JSON.stringify({ token: window.token, after: window.seq });
    const answer = await fetch(`${gatewayUrl}${path}/stream`, { method: 'POST', headers, body, signal });
    let text = '';
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = `${text}${chunk}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) await this.#take(window, block);
    }
  }

  async #take(window: Window, block: string): Promise<void> {
    const [, event, data = '{}'] = /^event: (\w+)\ndata: (.*)$/m.exec(block) ?? [];
    const { id, seq = 0, author, text, choices = [], file } = JSON.parse(data) as Change;
    if (event === 'typing') window.typing += 1;
    if (event === 'preview') window.previews.push(text);
    if (event === 'message') window.seq = Math.max(window.seq, seq);
    const isAnswer = event === 'message' && (author === 'bot' || author === 'staff');
    if (!isAnswer || window.sent.some((sent) => sent.id === id)) return;
    const bytes = file && (await this.#download(window, id));
    window.sent.push({
      id,
      text,
      buttons: choices,
      ...(file && bytes ? { file: { name: file.name, bytes } } : {}),
    });
  }

  /** Only with the session of the visitor. */
  async #download({ token }: Window, messageId: string): Promise<Buffer> {
    const { gatewayUrl, path } = this.#site;
    const post = (body: object) =>
      fetch(`${gatewayUrl}${path}/files`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { status } = await post({ token: `${'x'.repeat(43)}`, messageId });
    if (status !== 401) throw new Error(`a file was answered with ${status} without a session`);
    return Buffer.from(await (await post({ token, messageId })).arrayBuffer());
  }
}

/** To a message: it is stored, or the visitor has to work first. */
interface Answer {
  token?: string;
  message?: { id: string };
  challenge?: string;
  bits?: number;
}

/** The work that the window does. */
function nonceOf(challenge: string, bits: number): string {
  for (let nonce = 0; ; nonce += 1) {
    const hash = createHash('sha256').update(`${challenge}.${nonce}`).digest();
    if (hash.readUInt32BE() >>> (32 - bits) === 0) return String(nonce);
  }
}

interface Change {
  id: string;
  seq?: number;
  author?: string;
  text: string;
  choices?: string[];
  file?: { name: string };
}
