import { baseConfig, natsServers } from '@botyard/shared/config/config';
import { postgresUrl } from '@botyard/shared/config/postgres-url';
import { z } from 'zod';
import type { Secrets } from '../launcher/settings/secrets.ts';

/** Settings besides the services' own, which are passed on to the services. */
export const DeployConfig = z.object({
  /** Kept for ever: without its secrets, sealed values in the database can't be opened. */
  SETTINGS_DIR: z.string(),
  /** A role that may create roles and schemas; without a password in it, the one made for Postgres here. */
  DATABASE_URL: postgresUrl,
  NATS_URL: natsServers,
  /** If more than one, the configuration of NATS has the cluster that `deploy/kubernetes/nats.yaml` runs. */
  NATS_REPLICAS: baseConfig.shape.NATS_REPLICAS,
  /** Internal port of every service; each has a host of its own. */
  SERVICE_PORT: z.coerce.number().int().min(1).max(65_535).default(8080),
  /** The address of this machine at which the gateway is published. */
  BOTYARD_BIND: z.string().default('127.0.0.1'),
  /** The sandbox's address for the services. Used in development mode only. */
  SANDBOX_URL: z.url().optional(),
});
export type DeployConfig = z.output<typeof DeployConfig>;

export function ownerUrl({ DATABASE_URL }: DeployConfig, { ownerPassword }: Secrets): string {
  const url = new URL(DATABASE_URL);
  if (!url.password) url.password = ownerPassword;
  return url.toString();
}
