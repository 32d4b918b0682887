import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from './installation.ts';

/** A person's session in a tenant. */
export interface Session {
  authorization: string;
  'x-tenant-id': string;
}

interface OpenStream {
  /** The ID of the stream's last event. */
  lastId: string | undefined;
}

/** Creates admins of the tenants "Bench 0", "Bench 1", …, with a session each. The tokens last an hour. */
export async function makeAdmins(
  { gatewayUrl, dataDir }: Pick<Installation, 'gatewayUrl' | 'dataDir'>,
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
  if (!answer.ok) throw new Error(`${url} returned ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

const longestPauseMs = 5000;

/**
 * Holds open streams of `GET /api/events` and counts their events. A stream that ends, breaks or is rejected is resumed
 * after a pause that doubles each time, as in the console.
 */
export class Listeners {
  /** The number of events about messages: two per message and listener. */
  events = 0;
  /** The number of other events by name, such as `integration.changed` after each check of a webhook. */
  readonly others: Record<string, number> = {};
  /** The number of events that a stream received more than once. */
  repeated = 0;
  /** The number of attempts to reopen a stream. */
  continued = 0;
  /** The times from storing a message until a listener received the event. */
  readonly delaysMs: number[] = [];
  readonly #gatewayUrl: string;
  readonly #sessions: readonly Session[];
  readonly #abort = new AbortController();

  constructor(gatewayUrl: string, sessions: Session[]) {
    this.#gatewayUrl = gatewayUrl;
    this.#sessions = sessions;
  }

  /** Opens this many streams per session, one session at a time. */
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
    if (!answer.ok || !answer.body) throw new Error(`/api/events returned ${answer.status}`);
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

  /** Reads a stream until it ends. @throws if it breaks */
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

/** True if an event ID is later than another: further in at least one stream, and not earlier in any. */
function isBehind(id: string | undefined, before: string | undefined): boolean {
  if (id === undefined || before === undefined) return id !== undefined;
  const [places, former] = [placesOf(id), placesOf(before)];
  const steps = places.map((place, index) => place - (former[index] ?? 0));
  return steps.every((step) => step >= 0) && steps.some((step) => step > 0);
}

/** Parses an event ID: a time, then the creation time and the position for each of three streams. */
const placesOf = (id: string): number[] => {
  const parts = id.split('-');
  return [2, 4, 6].map((index) => Number.parseInt(parts[index] ?? '', 36));
};
