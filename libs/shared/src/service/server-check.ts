import { tryToConnect } from '../bus/connecting.ts';
import { certificateFault, natsSettings } from '../config/certificate-fault.ts';
import { ConfigError } from '../config/config.ts';

interface Servers {
  NATS_URL?: string | undefined;
  NATS_USER?: string | undefined;
  NATS_PASSWORD?: string | undefined;
  NATS_CA_FILE?: string | undefined;
  DATABASE_URL?: string | undefined;
}

/**
 * Looks at the certificates of NATS and Postgres, and at what is in front of Postgres, before a service starts. A server that
 * doesn't answer is no fault: services start without it and connect when it is there.
 * @throws ConfigError with one line when a certificate is not good, or the address of a pooler doesn't say so.
 */
export async function checkServers(config: Servers): Promise<void> {
  const faults = await Promise.all([busFault(config), databaseFaultOf(config)]);
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new ConfigError(found.join('; '));
}

async function busFault(config: Servers): Promise<string | undefined> {
  const { NATS_URL: url, NATS_CA_FILE: caFile, NATS_USER: user, NATS_PASSWORD: password } = config;
  if (!url || !(caFile || /(^|,)\s*tls:/i.test(url))) return undefined;
  const error = await tryToConnect({ url, caFile, user, password });
  return certificateFault(error, natsSettings);
}

/** The gateway has no database, and does without the driver. */
async function databaseFaultOf({ DATABASE_URL: address }: Servers): Promise<string | undefined> {
  if (!address) return undefined;
  const { databaseFault } = await import('../db/database-fault.ts');
  return await databaseFault(address);
}
