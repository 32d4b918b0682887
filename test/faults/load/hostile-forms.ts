import { randomUUID } from 'node:crypto';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { identityHeader } from '@botyard/shared/auth/identity';
import {
  encode,
  type Fields,
  newMail,
  type TestFile,
  triple,
} from '../../../services/webhooks/test/mailboxes.ts';

/** A mailbox whose mail is signed with this key. */
export interface Box {
  address: string;
  botId: string;
  key: string;
}

/** Number of answers to each attack, by status. */
export type Attacks = Record<string, Record<string, number>>;

/** The identities that the gateway would have signed: nobody's, and that of the hostile tenant's admin. */
export interface Identities {
  anonymous: string;
  admin: string;
}

const renewEveryMs = 20_000;

/** Posts the worst mails until it is closed, from a separate thread, so that the sender's cost delays nothing else. */
export class HostileMails {
  readonly #thread: Worker;
  readonly #renewal: NodeJS.Timeout;
  readonly #ended = Promise.withResolvers<Attacks>();

  constructor(url: string, box: Box, identities: () => Promise<Identities>) {
    this.#thread = new Worker(new URL(import.meta.url), { workerData: { url, box } });
    this.#thread.on('message', this.#ended.resolve).on('error', this.#ended.reject);
    const renew = () => identities().then((signed) => this.#thread.postMessage(signed));
    this.#renewal = setInterval(() => renew().catch(this.#ended.reject), renewEveryMs);
    renew().catch(this.#ended.reject);
  }

  /** Waits for the answers of posts in flight. */
  async close(): Promise<Attacks> {
    clearInterval(this.#renewal);
    this.#thread.postMessage('stop');
    const attacks = await this.#ended.promise;
    await this.#thread.terminate();
    return attacks;
  }
}

const repeat = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));
const list = (unit: string, size: number): string => `[${repeat(unit, size).slice(0, -1)}]`;
const addresses = repeat('"=?utf-8?q?a?=" <a@b.example>,', 16_000);
const html = (text: string): Fields => ({ 'body-html': text, 'body-plain': '', 'stripped-text': '' });

interface Mail {
  fields: Fields;
  files?: TestFile[];
}

/** The worst input for each reader of a mail, as large as it is accepted. */
const signedMails: Readonly<Record<string, Mail>> = {
  'HTML alone': { fields: html(repeat('<p> ', 150_000)) },
  'HTML that is never closed': { fields: html(repeat('<b>', 900_000)) },
  'an HTML file': {
    fields: {},
    files: [{ name: 'a.html', type: 'text/html', bytes: Buffer.from(repeat('<p> ', 1_000_000)) }],
  },
  quotations: { fields: { 'body-plain': repeat('> >\n', 500_000), 'stripped-text': repeat('>\n', 500_000) } },
  'encoded words': {
    fields: { subject: repeat('=?utf-8?B?YQ==?= ', 8000), From: addresses, To: addresses, Cc: addresses },
  },
  'a list of headers': { fields: { 'message-headers': list('["References","<a>"],', 250_000) } },
  'a list of results': {
    fields: {
      'message-headers': list('["X-Mailgun-Spf","Pass"],["Dkim-Signature","d=a.example;"],', 250_000),
    },
  },
  'headers as fields': {
    fields: Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`X-${n}`, repeat('=?utf-8?q?a?= ', 4000)]),
    ),
  },
  'JSON without end': {
    fields: { 'message-headers': repeat('[', 250_000), 'content-id-map': repeat('{"a":', 64_000) },
  },
};

interface Post {
  path: string;
  rawBody: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
  as: keyof Identities;
}

/** Written once; the differing parts are changed in place, so that creating a post costs almost nothing. */
async function signedPost({ address, botId, key }: Box, { fields, files }: Mail): Promise<() => Post> {
  const marks = { id: randomUUID(), from: randomUUID() };
  const mail = newMail({ address }, { from: `Anna <${marks.from}@people.example>`, fields });
  const signature = triple({ key });
  const withId = { ...mail, 'Message-Id': `<${marks.id}@people.example>` };
  const { rawBody, headers } = await encode({ ...withId, ...signature }, files);
  const changed = [marks.id, marks.from, signature.token, signature.signature, signature.timestamp];
  const body = Buffer.from(rawBody);
  const places = changed.map((text) => placesOf(body, text));
  return () => {
    const next = triple({ key });
    const texts = [randomUUID(), randomUUID(), next.token, next.signature, next.timestamp];
    const copy = new Uint8Array(rawBody);
    for (const [index, text] of texts.entries())
      for (const place of places[index]!) copy.set(Buffer.from(text), place);
    return { path: `/webhooks/email/${botId}`, rawBody: copy, headers, as: 'anonymous' };
  };
}

function placesOf(body: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) places.push(at);
  return places;
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));

/** Posts that anybody can make, without a key; and one of the hostile tenant's admin. */
const otherPosts: Readonly<Record<string, Post>> = {
  'a recipient of 7.7 MB': {
    path: '/webhooks/email',
    rawBody: bytesOf(`recipient=${repeat('+', 7_700_000)}`),
    headers: formType,
    as: 'anonymous',
  },
  'recipients of 7.7 MB': {
    path: '/webhooks/email',
    rawBody: bytesOf(`recipient=${repeat('"<a@b.example>,', 7_700_000)}`),
    headers: formType,
    as: 'anonymous',
  },
  'a giant list in JSON': {
    path: '/api/email-threads/bounces/lift',
    rawBody: bytesOf(`{"address":${list('1,', 100_000)}}`),
    headers: { 'content-type': 'application/json' },
    as: 'admin',
  },
};

async function attack({ url, box }: { url: string; box: Box }): Promise<void> {
  const attacks: Attacks = {};
  let identities: Identities | undefined;
  let isOver = false;
  const ready = Promise.withResolvers<void>();
  parentPort!.on('message', (message: Identities | 'stop') => {
    if (message === 'stop') isOver = true;
    else identities = message;
    ready.resolve();
  });
  const makers: [string, () => Post][] = Object.entries(otherPosts).map(([name, post]) => [name, () => post]);
  for (const [name, mail] of Object.entries(signedMails)) makers.push([name, await signedPost(box, mail)]);
  await ready.promise;
  let requests = 0;
  const loops = makers.map(async ([name, make]) => {
    const counts: Record<string, number> = {};
    attacks[name] = counts;
    while (!isOver) {
      const { path, rawBody, headers, as } = make();
      requests += 1;
      // Each has its own address: the limit per address is not tested here.
      const from = `10.1.${(requests >> 8) & 255}.${requests & 255}`;
      const sent = { ...headers, 'x-forwarded-for': from, [identityHeader]: identities![as] };
      const answer = await fetch(`${url}${path}`, { method: 'POST', body: rawBody, headers: sent }).catch(
        () => undefined,
      );
      await answer?.arrayBuffer().catch(() => undefined);
      const status = answer?.status ?? 'cut off';
      counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  await Promise.all(loops);
  parentPort!.postMessage(attacks);
}

if (!isMainThread && workerData?.box) await attack(workerData);
