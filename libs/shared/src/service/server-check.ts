import { busRemedy, tryToConnect } from '../bus/connecting.ts';
import { certificateFault, natsSettings } from '../config/certificate-fault.ts';
import { ConfigError } from '../config/config.ts';
import type { ServerFinding } from '../db/database-fault.ts';
import { withoutSecrets } from '../log/without-secrets.ts';

interface Servers {
  NATS_URL?: string | undefined;
  NATS_USER?: string | undefined;
  NATS_PASSWORD?: string | undefined;
  NATS_CA_FILE?: string | undefined;
  DATABASE_URL?: string | undefined;
}

/**
 * Checks NATS and Postgres before a service starts: whether they answer, their certificates, and whether a pooler is
 * in front of Postgres. A service also starts without a server that doesn't answer, and connects later.
 * @returns one line for each server that can't be reached, which names its setting.
 * @throws ConfigError with one line if a certificate is invalid, or if the address doesn't declare a pooler.
 */
export async function checkServers(config: Servers): Promise<string[]> {
  const findings = await Promise.all([findBus(config), findDatabaseOf(config)]);
  const faults = findings.flatMap((found) => (found && 'fault' in found ? [found.fault] : []));
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return findings.flatMap((found) => (found && 'away' in found ? [found.away] : []));
}

async function findBus(config: Servers): Promise<ServerFinding> {
  const { NATS_URL: url, NATS_CA_FILE: caFile, NATS_USER: user, NATS_PASSWORD: password } = config;
  if (!url) return undefined;
  const error = await tryToConnect({ url, caFile, user, password });
  if (!error) return undefined;
  const fault = certificateFault(error, natsSettings);
  if (fault !== undefined) return { fault };
  return { away: `NATS can't be reached: ${withoutSecrets(error.message)}. ${busRemedy(error)}` };
}

/** The gateway has no database and doesn't load the driver. */
async function findDatabaseOf({ DATABASE_URL: address }: Servers): Promise<ServerFinding> {
  if (!address) return undefined;
  const { findDatabase } = await import('../db/database-fault.ts');
  return await findDatabase(address);
}
