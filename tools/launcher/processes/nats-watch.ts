import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';

interface WatchedNats {
  /** Address of its monitoring, which stays the same over restarts. */
  monitorUrl: string;
  storeDir: string;
  restart(): Promise<void>;
  say(line: string): void;
}

interface WatchTimes {
  lookEveryMs: number;
  /** How long it may be unhealthy before it is started again. */
  patienceMs: number;
}

const times: WatchTimes = { lookEveryMs: 2000, patienceMs: 10_000 };
const answerMs = 2000;
const neededBytes = 4 * 1024 * 1024;

/**
 * Restarts nats-server when it has been unhealthy for 10 s. After a full disk it refuses every event of the streams
 * that it could not write, even when there is space again. While its disk is full, it is left alone. Ends with
 * `signal`.
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
          say(`can't write to ${storeDir} (${obstacle}): free some space; it is started again then`);
        isFull = true;
        continue;
      }
      say(`is unhealthy (${fault}), starting it again`);
      unhealthySince = undefined;
      await restart();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The fault that its health check reports. Without a parameter it checks every stream and consumer. */
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

/** The reason why nothing can be written there; `undefined` without one. */
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
