import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { discoverInstances } from '@botyard/shared/system/asking';
import { serviceNames } from '@botyard/shared/system/subjects';
import type { Deps } from '../deps.ts';
import { getLatestRestart, insertRestart, type RestartRow } from '../store/restarts.ts';

/** Begins a round over the current processes. @throws HttpError 404 for an unknown service, 409, 503 without a bus. */
export async function beginRestart(
  { database, bus, restarter, log }: Deps,
  name: string,
  caller: Caller,
): Promise<RestartRow> {
  const serviceName = knownService(name);
  // An overlooked process would not be restarted.
  const processes = await discoverInstances(bus, [serviceName], { nextWithinMs: 1000 });
  if (processes.length === 0) {
    throw conflict(`no process of ${serviceName} answers, so there is nothing to restart: start one`);
  }
  const instances = processes.map(({ instanceId }) => ({ instanceId, state: 'waiting' as const }));
  const round = await withPlatform(database, 'restart asked for', (tx) =>
    insertRestart(tx, { serviceName, instances, startedBy: caller.userId }),
  );
  if (!round) throw conflict(`${serviceName} is already being restarted: wait until that is done`);
  log.info({ audit: 'restart asked for', serviceName, instances: processes.length }, 'audit');
  restarter.wake();
  return round;
}

/** The last round of a service. @throws HttpError 404. */
export async function findRestart({ database }: Deps, name: string): Promise<RestartRow> {
  const serviceName = knownService(name);
  const row = await withPlatform(database, 'restart looked at', (tx) => getLatestRestart(tx, serviceName));
  return found(row, 'restart');
}

const knownService = (name: string) =>
  found(
    serviceNames.find((serviceName) => serviceName === name),
    'service',
  );
