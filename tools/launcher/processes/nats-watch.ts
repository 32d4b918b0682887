import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';

interface WatchedNats {
  /** The address of the monitoring endpoint. It stays the same across restarts. */
  monitorUrl: string;
  storeDir: string;
  restart(): Promise<void>;
  say(line: string): void;
}

interface WatchTimes {
  lookEveryMs: number;
  /** How long the server may be unhealthy before it is restarted. */
  patienceMs: number;
}

const times: WatchTimes = { lookEveryMs: 2000, patienceMs: 10_000 };
const answerMs = 2000;
const neededBytes = 4 * 1024 * 1024;

/**
 * Restarts nats-server after it has been unhealthy for 10 s. After a full disk it rejects all events of the streams
 * that it could not write, even when there is space again. It is not restarted while its disk is full. Runs until
 * `signal` is aborted.
 */
export async function watchNats(
  { monitorUrl, storeDir, restart, say }: WatchedNats,
  signal: AbortSignal,
  { lookEveryMs, patienceMs }: WatchTimes = times,
): Promise<void> {
  let unhealthySince: number | undefined;
  let isFull = false;
  try {
    for await (const _ of setInterval(lookEveryMs, undefined, { signal, ref: false })) {
      const fault = await faultOf(monitorUrl);
      if (fault === undefined) {
        unhealthySince = undefined;
        isFull = false;
        continue;
      }
      unhealthySince ??= performance.now();
      if (performance.now() - unhealthySince < patienceMs) continue;
      const obstacle = await findObstacle(storeDir);
      if (obstacle) {
        if (!isFull)
          say(`can't write to ${storeDir} (${obstacle}): free some space; it is restarted afterwards`);
        isFull = true;
        continue;
      }
      say(`is unhealthy (${fault}), restarting`);
      unhealthySince = undefined;
      await restart();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Returns the fault that the health check reports. Without a parameter the check covers all streams and consumers. */
async function faultOf(monitorUrl: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(answerMs) });
    if (answer.ok) {
      await answer.body?.cancel();
      return undefined;
    }
    const { error } = (await answer.json()) as { error?: string };
    return error ?? `status ${answer.status}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the reason why the directory can't be written, or `undefined` if it can. */
async function findObstacle(storeDir: string): Promise<string | undefined> {
  const file = join(storeDir, '.space');
  try {
    const handle = await open(file, 'w', 0o600);
    try {
      await handle.writeFile(Buffer.alloc(neededBytes));
      await handle.sync();
    } finally {
      await handle.close();
      await rm(file, { force: true });
    }
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  }
}
