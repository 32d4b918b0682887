import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { House } from './house.ts';

/** A person's session in a tenant. */
export interface Session {
  authorization: string;
  'x-tenant-id': string;
}

interface OpenStream {
  /** Identifier of its last event. */
  lastId: string | undefined;
}

/** Creates admins of the tenants "Bench 0", "Bench 1", …, with a session each. The tokens last an hour. */
export async function makeAdmins(
  { gatewayUrl, dataDir }: Pick<House, 'gatewayUrl' | 'dataDir'>,
  { tenants, ofEach }: { tenants: number; ofEach: number },
): Promise<Session[]> {
  const { sandboxUrl } = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as {
    sandboxUrl: string;
  };
  const sessions: Session[] = [];
  for (let tenant = 0; tenant < tenants; tenant += 1) {
    const found = await call(`${gatewayUrl}/api/bots/tenants?limit=100`);
    const { tenantId } = (found as { tenantId: string; name: string }[]).find(
      ({ name }) => name === `Bench ${tenant}`,
    ) ?? { tenantId: '' };
    for (let index = 0; index < ofEach; index += 1) {
      const userId = `user_bench_${tenant}_${index}`;
      const { token } = (await call(`${sandboxUrl}/api/session-token`, { userId })) as { token: string };
      const session = { authorization: `Bearer ${token}`, 'x-tenant-id': tenantId };
      const me = (await call(`${gatewayUrl}/api/current-user`, undefined, session)) as { userId: string };
      await call(`${gatewayUrl}/api/bots/tenants/${tenantId}/members`, { userId: me.userId, role: 'admin' });
      sessions.push(session);
    }
  }
  return sessions;
}

async function call(url: string, body?: unknown, headers: object = {}): Promise<unknown> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(url, { ...init, headers: { 'content-type': 'application/json', ...headers } });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

const longestPauseMs = 5000;

/**
 * Open streams of `GET /api/events`, and the events that they received. A stream that ends, breaks or is refused is
 * continued after a pause that doubles, as the console does it.
 */
export class Listeners {
  /** About messages: two for each message and listener. */
  events = 0;
  /** Events about something else, by name, such as `integration.changed` after each check of a webhook. */
  readonly others: Record<string, number> = {};
  /** Events that a stream was told of before. */
  repeated = 0;
  /** Tries to open a stream again. */
  continued = 0;
  /** From when a message was stored until a listener heard of it. */
  readonly delaysMs: number[] = [];
  readonly #gatewayUrl: string;
  readonly #sessions: readonly Session[];
  readonly #abort = new AbortController();

  constructor(gatewayUrl: string, sessions: Session[]) {
    this.#gatewayUrl = gatewayUrl;
    this.#sessions = sessions;
  }

  /** So many streams of each session, one session after the other. */
  async open(ofEach = 1): Promise<void> {
    for (const session of this.#sessions)
      await Promise.all(Array.from({ length: ofEach }, () => this.#listen(session)));
  }

  async untilHeard(count: number): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (this.events < count && performance.now() < deadline) await pause(20);
  }

  close(): void {
    this.#abort.abort();
  }

  async #listen(session: Session): Promise<void> {
    const stream: OpenStream = { lastId: undefined };
    const body = await this.#ask(session, stream);
    void this.#follow(session, stream, body);
  }

  async #ask(session: Session, { lastId }: OpenStream): Promise<ReadableStream<Uint8Array>> {
    const headers = { ...session, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const answer = await fetch(`${this.#gatewayUrl}/api/events`, { headers, signal: this.#abort.signal });
    if (!answer.ok || !answer.body) throw new Error(`/api/events answered ${answer.status}`);
    return answer.body;
  }

  async #follow(session: Session, stream: OpenStream, opened: ReadableStream<Uint8Array>): Promise<void> {
    const { signal } = this.#abort;
    let body: ReadableStream<Uint8Array> | undefined = opened;
    let pauseMs = 200;
    while (!signal.aborted) {
      try {
        body ??= await this.#ask(session, stream);
        pauseMs = 200;
        await this.#hear(body, stream);
      } catch {
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
      body = undefined;
      if (signal.aborted) return;
      this.continued += 1;
      await pause(pauseMs);
    }
  }

  /** Until the stream ends. @throws when it breaks */
  async #hear(body: ReadableStream<Uint8Array>, stream: OpenStream): Promise<void> {
    let rest = '';
    for await (const part of body) {
      const blocks = (rest + Buffer.from(part).toString()).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block, stream);
    }
  }

  #take(block: string, stream: OpenStream): void {
    const [, name] = /^event: (.*)$/m.exec(block) ?? [];
    if (name === undefined) return;
    const [, id] = /^id: (.*)$/m.exec(block) ?? [];
    if (!name.startsWith('message.')) {
      this.others[name] = (this.others[name] ?? 0) + 1;
    } else {
      this.events += 1;
      if (!isBehind(id, stream.lastId)) this.repeated += 1;
      const [, at] = /"createdAt":"([^"]+)"/.exec(block) ?? [];
      if (at !== undefined) this.delaysMs.push(Date.now() - Date.parse(at));
    }
    stream.lastId = id ?? stream.lastId;
  }
}

/** Whether an identifier's position is one behind another's: further in a stream, and not less far in any. */
function isBehind(id: string | undefined, before: string | undefined): boolean {
  if (id === undefined || before === undefined) return id !== undefined;
  const [places, former] = [placesOf(id), placesOf(before)];
  const steps = places.map((place, index) => place - (former[index] ?? 0));
  return steps.every((step) => step >= 0) && steps.some((step) => step > 0);
}

/** An identifier is a moment, then for each of three streams its creation and a place in it. */
const placesOf = (id: string): number[] => {
  const parts = id.split('-');
  return [2, 4, 6].map((index) => Number.parseInt(parts[index] ?? '', 36));
};
