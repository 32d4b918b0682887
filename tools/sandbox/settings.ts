/** The sandbox's settings, read from its environment. */
import { resolve } from 'node:path';
import { fakeNames } from '../launcher/settings/fakes.ts';

const platformNames = [...fakeNames, 'idp', 'model', 'tools'] as const;
export type SandboxPlatform = (typeof platformNames)[number];

export type SandboxSettings = {
  /** The listen address: loopback, except in a container, whose port only this machine can reach. */
  host: string;
  /** The sandbox's address for the services, if it differs from its own, for example in containers. */
  url: string | undefined;
  port: number;
  platforms: SandboxPlatform[];
  /** The folder of the stored state. If `undefined`, the state is kept in memory only. */
  directory: string | undefined;
  /** The gateway's address for people on this machine. */
  gatewayUrl: string;
  idpSecretKey: string;
  mailerApiKey: string;
  toolsApiKey: string;
  /** The address of the MCP server for trials, if the launcher runs one. */
  toolServerUrl: string | undefined;
};

/** @throws Error with one line that names the variable. */
export function readSettings(env: NodeJS.ProcessEnv): SandboxSettings {
  const port = Number(env.SANDBOX_PORT ?? 3002);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error('SANDBOX_PORT must be a number from 0 to 65535');
  const wantedNames = listOf(env.SANDBOX_PLATFORMS ?? platformNames.join(','));
  const platforms = platformNames.filter((name) => wantedNames.includes(name));
  if (wantedNames.some((name) => !platformNames.some((known) => known === name))) {
    throw new Error(`SANDBOX_PLATFORMS may contain ${platformNames.join(', ')}`);
  }
  return {
    host: env.SANDBOX_HOST || '127.0.0.1',
    url: env.SANDBOX_URL || undefined,
    port,
    platforms,
    directory: env.SANDBOX_DIR ? resolve(env.SANDBOX_DIR) : undefined,
    gatewayUrl: env.GATEWAY_URL || 'http://127.0.0.1:3001',
    idpSecretKey: env.SANDBOX_IDP_SECRET_KEY || 'sk_test_sandbox',
    mailerApiKey: env.SANDBOX_MAILER_API_KEY || 'sandbox',
    toolsApiKey: env.SANDBOX_TOOLS_API_KEY || 'sandbox',
    toolServerUrl: env.SANDBOX_TOOL_SERVER_URL || undefined,
  };
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
