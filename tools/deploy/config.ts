import { baseConfig, natsServers } from '@botyard/shared/config/config';
import { postgresUrl } from '@botyard/shared/config/postgres-url';
import { z } from 'zod';
import type { Secrets } from '../launcher/settings/secrets.ts';

/** The deployment's own settings. The settings of the services are passed on to them. */
export const DeployConfig = z.object({
  /** Must be preserved: without its secrets, sealed values in the database can't be opened. */
  SETTINGS_DIR: z.string(),
  /** The login of a role that may create roles and schemas. Its password defaults to the generated one. */
  DATABASE_URL: postgresUrl,
  NATS_URL: natsServers,
  /** If more than 1, NATS is configured as the cluster that `deploy/kubernetes/nats.yaml` runs. */
  NATS_REPLICAS: baseConfig.shape.NATS_REPLICAS,
  /** The internal port of every service. Each service has its own host. */
  SERVICE_PORT: z.coerce.number().int().min(1).max(65_535).default(8080),
  /** The local address on which the gateway is published. */
  BOTYARD_BIND: z.string().default('127.0.0.1'),
  /** The address at which services reach the sandbox. Used in development mode only. */
  SANDBOX_URL: z.url().optional(),
});
export type DeployConfig = z.output<typeof DeployConfig>;

export function ownerUrl({ DATABASE_URL }: DeployConfig, { ownerPassword }: Secrets): string {
  const url = new URL(DATABASE_URL);
  if (!url.password) url.password = ownerPassword;
  return url.toString();
}
