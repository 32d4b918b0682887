import { setTimeout as pause } from 'node:timers/promises';
import { within } from '@botyard/shared/work/within';
import { HttpConnection } from './http-connection.ts';
import { summarize } from './latencies.ts';
import type { LoadPlan, LoadResult, Loop } from './messages.ts';
import { requestMaker } from './requests.ts';

const answerWithinMs = 30_000;

class Tally {
  readonly statuses: Record<string, number> = {};
  readonly latenciesMs: number[] = [];

  note(status: number, sinceMs: number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    this.latenciesMs.push(performance.now() - sinceMs);
  }
}

export async function runLoad({ port, requests, loop }: LoadPlan): Promise<LoadResult> {
  const nextRequest = requestMaker(requests, `127.0.0.1:${port}`);
  const tally = new Tally();
  const begin = performance.now();
  await (loop.kind === 'closed'
    ? closed(port, loop, nextRequest, tally)
    : open(port, loop, nextRequest, tally));
  const { statuses, latenciesMs } = tally;
  const seconds = (performance.now() - begin) / 1000;
  return {
    seconds,
    answered: latenciesMs.length,
    ok: statuses[200] ?? 0,
    statuses,
    ...summarize(latenciesMs),
  };
}

async function closed(
  port: number,
  { connections, seconds, most }: Extract<Loop, { kind: 'closed' }>,
  nextRequest: () => string,
  tally: Tally,
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  let left = most;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = new HttpConnection(port);
      while (performance.now() < until && left > 0) {
        left -= 1;
        const sentAt = performance.now();
        tally.note(await connection.send(nextRequest()), sentAt);
      }
      connection.close();
    }),
  );
}

/** Runs an open load. If the server is slow, later requests wait for a connection, and that wait counts. */
async function open(
  port: number,
  { perSecond, seconds, maxConnections }: Extract<Loop, { kind: 'open' }>,
  nextRequest: () => string,
  tally: Tally,
): Promise<void> {
  const idle: HttpConnection[] = [];
  const waiting: number[] = [];
  const running = new Set<Promise<void>>();
  let opened = 0;
  const work = async (connection: HttpConnection) => {
    for (let dueAt = waiting.shift(); dueAt !== undefined; dueAt = waiting.shift()) {
      tally.note(await connection.send(nextRequest()), dueAt);
    }
    idle.push(connection);
  };
  const begin = performance.now();
  const total = Math.round(perSecond * seconds);
  for (let sent = 0; sent < total; ) {
    for (; sent < total && begin + (sent * 1000) / perSecond <= performance.now(); sent += 1) {
      waiting.push(begin + (sent * 1000) / perSecond);
      const connection = idle.pop() ?? (opened++ < maxConnections ? new HttpConnection(port) : undefined);
      if (!connection) continue;
      const worker = work(connection).finally(() => running.delete(worker));
      running.add(worker);
    }
    await pause(1);
  }
  await within(answerWithinMs, Promise.all(running));
  for (const connection of idle) connection.close();
}
