import { agentsConfig } from '../../services/agents/src/config.ts';
import { gatewayConfig } from '../../services/gateway/src/config.ts';
import { keysConfig } from '../../services/keys/src/config.ts';
import { tenancyConfig } from '../../services/tenancy/src/config.ts';
import { usageConfig } from '../../services/usage/src/config.ts';
import { webhooksConfig } from '../../services/webhooks/src/config.ts';
import type { ServiceName } from '../launcher/settings/services.ts';

/** The settings schema of each service. */
export const schemas = {
  gateway: gatewayConfig,
  tenancy: tenancyConfig,
  keys: keysConfig,
  usage: usageConfig,
  webhooks: webhooksConfig,
  agents: agentsConfig,
} satisfies Record<ServiceName, { shape: object }>;

/** Returns the environment variables that this service reads. */
export function settingsOf(
  service: ServiceName,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const names = Object.keys(schemas[service].shape);
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
