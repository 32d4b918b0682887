import { fileURLToPath } from 'node:url';
import { isLoopbackHost } from '@botyard/shared/http/local-request';
import { createSandbox, type Sandbox } from '../clients/sandbox.ts';
import { type GatewayConfig, providerHost } from '../config.ts';

/** The console as this gateway serves it. */
export interface Console {
  /** Where its build lies, once there is one. */
  folder: string;
  isDevelopment: boolean;
  publishableKey: string | null;
  /** Whether external tools are switched on. */
  externalTools: boolean;
  /** In development mode, where there is a sandbox. */
  sandbox: Sandbox | null;
  /** The sandbox's page, where a browser on this machine reaches it. */
  sandboxUrl: string | undefined;
}

const builtConsole = fileURLToPath(new URL('../../../../console/dist', import.meta.url));

export function createConsole(config: GatewayConfig, folder = builtConsole): Console {
  const { AUTH_DEV_MODE: isDevelopment, SANDBOX_URL: sandboxUrl } = config;
  return {
    folder,
    isDevelopment,
    publishableKey: config.IDP_PUBLISHABLE_KEY ?? null,
    externalTools: config.TOOL_INTEGRATIONS_ENABLED,
    sandbox: isDevelopment && sandboxUrl ? createSandbox(sandboxUrl) : null,
    sandboxUrl:
      isDevelopment && sandboxUrl && isLoopbackHost(new URL(sandboxUrl).hostname) ? sandboxUrl : undefined,
  };
}

/**
 * The content policy of the console. Scripts, styles and requests come only from the gateway, and nothing may frame it.
 * No text becomes HTML or a script, because no Trusted Types policy allows it. If there is an identity provider, its
 * browser library and the files that it loads are allowed from the one host that the key names. The console's only
 * Trusted Types policy (`sign-in.tsx`) accepts addresses of scripts on that host, and no HTML.
 */
export function consolePolicy(publishableKey: string | null): string {
  const provider = publishableKey ? ` https://${providerHost(publishableKey)}` : '';
  return [
    "default-src 'none'",
    `script-src 'self'${provider}`,
    `style-src 'self'${provider && " 'unsafe-inline'"}`,
    `img-src 'self' data:${provider && ' https:'}`,
    `connect-src 'self'${provider}`,
    // Previews of what people see elsewhere.
    "frame-src 'self'",
    ...(provider ? ["worker-src 'self' blob:"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${provider ? 'default' : "'none'"}`,
  ].join('; ');
}
