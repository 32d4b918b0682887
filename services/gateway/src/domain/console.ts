import { fileURLToPath } from 'node:url';
import { createSandbox, type Sandbox } from '../clients/sandbox.ts';
import type { GatewayConfig } from '../config.ts';

/** The console as this gateway serves it. */
export interface Console {
  /** Where its build lies, once there is one. */
  folder: string;
  isDevelopment: boolean;
  publishableKey: string | null;
  /** In development mode, where there is a sandbox. */
  sandbox: Sandbox | null;
}

const builtConsole = fileURLToPath(new URL('../../../../console/dist', import.meta.url));

export function createConsole(config: GatewayConfig, folder = builtConsole): Console {
  const { AUTH_DEV_MODE: isDevelopment, SANDBOX_URL: sandboxUrl } = config;
  return {
    folder,
    isDevelopment,
    publishableKey: config.IDP_PUBLISHABLE_KEY ?? null,
    sandbox: isDevelopment && sandboxUrl ? createSandbox(sandboxUrl) : null,
  };
}
