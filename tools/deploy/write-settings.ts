import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, faultsOfConfig } from '@botyard/shared/config/config';
import { demoFake } from '../launcher/settings/fakes.ts';
import { loadSecrets, type Secrets } from '../launcher/settings/secrets.ts';
import { serviceEnv } from '../launcher/settings/service-env.ts';
import { domainServices, type ServiceName, serviceNames } from '../launcher/settings/services.ts';
import { type LauncherSettings, readLauncherSettings } from '../launcher/settings/settings.ts';
import { type DeployConfig, ownerUrl } from './config.ts';
import { natsConfig } from './nats-config.ts';
import { schemas, settingsOf } from './settings-of.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Writes a separate folder for each service and server, so that none can read another's secrets. If a service's
 * settings are invalid, only the secrets are written. @throws ConfigError with all faults.
 */
export async function writeSettings(config: DeployConfig, env: Env): Promise<void> {
  const settings = readDeploySettings(config, env);
  const secrets = await loadSecrets(config.SETTINGS_DIR);
  const sandboxUrl = settings.sandbox.length > 0 ? config.SANDBOX_URL : undefined;
  const settingsOfAll = serviceNames.map((service) => {
    const ownEnv = serviceEnv(service, {
      env,
      settings,
      secrets,
      gatewayPort: settings.port,
      // Every service has its own host, so all can use the same port.
      ports: Object.fromEntries(serviceNames.map((name) => [name, config.SERVICE_PORT])) as Record<
        ServiceName,
        number
      >,
      ownerUrl: ownerUrl(config, secrets),
      nats: { url: config.NATS_URL, isOurs: true },
      toolServerUrl: undefined,
      sandboxUrl,
    });
    const deployed = {
      ...ownEnv,
      ...(sandboxUrl ? trialAddresses(settings) : {}),
      // The image contains this folder. Compose and the manifests mount it.
      MAIL_SPOOL_DIR: env.MAIL_SPOOL_DIR || '/spool',
      DATA_DIR: undefined,
      SERVICE_HOST: '0.0.0.0',
      ...(service === 'gateway' ? gatewayEnv(config, settings) : {}),
    };
    return { service, own: settingsOf(service, deployed) };
  });
  const faults = new Set(settingsOfAll.flatMap(({ service, own }) => faultsOfConfig(schemas[service], own)));
  if (faults.size > 0) throw new ConfigError(`invalid settings: ${[...faults].join('; ')}`);
  for (const { service, own } of settingsOfAll)
    await write(join(config.SETTINGS_DIR, service), 'env', envFile(own));
  await write(
    join(config.SETTINGS_DIR, 'sandbox'),
    'env',
    envFile(sandboxEnv(settings, secrets, sandboxUrl)),
  );
  const nats = natsConfig({
    namespace: settings.natsNamespace,
    secrets,
    servers: config.NATS_REPLICAS,
    filesMaxBytes: settings.filesMaxBytes,
    isEncrypted: config.NATS_URL.startsWith('tls:'),
  });
  await write(join(config.SETTINGS_DIR, 'nats'), 'nats-server.json', `${JSON.stringify(nats, null, 2)}\n`);
  await write(join(config.SETTINGS_DIR, 'postgres'), 'password', secrets.ownerPassword);
}

/**
 * Reads the settings. Unlike in the launcher, `NODE_ENV` defaults to production, as in the services. @throws
 * ConfigError if the settings would admit everyone or no one.
 */
function readDeploySettings({ BOTYARD_BIND }: DeployConfig, env: Env): LauncherSettings {
  const settings = readLauncherSettings({ ...env, NODE_ENV: env.NODE_ENV || 'production' });
  const { mode, isAuthOff, hasIdentityProvider } = settings;
  if (!hasIdentityProvider && (mode === 'production' || mode === 'staging'))
    throw new ConfigError(
      `IDP_ISSUER: is required with NODE_ENV=${mode}: without an identity provider no one can sign in. To try Botyard out, set NODE_ENV=development`,
    );
  if (isAuthOff && !/^(127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/.test(BOTYARD_BIND))
    throw new ConfigError(
      'BOTYARD_BIND: must be 127.0.0.1 in development mode, which is for this machine only. To admit others, set NODE_ENV=production and IDP_ISSUER',
    );
  return settings;
}

/** The sandbox's platforms reach the gateway by its container's name, a browser by `localhost`. */
const trialAddresses = ({ port, webhookBaseUrl }: LauncherSettings) => ({
  WEBHOOK_BASE_URL: webhookBaseUrl ?? `http://gateway:${port}`,
  PUBLIC_BASE_URL: `http://localhost:${port}`,
});

/** The settings of the sandbox and the demo. Empty if every platform is a real one. */
function sandboxEnv(
  settings: LauncherSettings,
  secrets: Secrets,
  sandboxUrl: string | undefined,
): Record<string, string> {
  if (!sandboxUrl) return { SANDBOX_PLATFORMS: '' };
  const { port } = new URL(sandboxUrl);
  return {
    NODE_ENV: settings.mode,
    SANDBOX_HOST: '0.0.0.0',
    SANDBOX_PORT: port,
    SANDBOX_URL: sandboxUrl,
    SANDBOX_PLATFORMS: settings.sandbox.join(','),
    SANDBOX_DIR: '/sandbox',
    SANDBOX_PAGE_URL: `http://localhost:${port}`,
    GATEWAY_URL: `http://127.0.0.1:${settings.port}`,
    WEBHOOK_BASE_URL: trialAddresses(settings).WEBHOOK_BASE_URL,
    ...(settings.sandbox.includes(demoFake) ? { DEMO_BOT_TOKEN: secrets.demoBotToken } : {}),
  };
}

function gatewayEnv({ SERVICE_PORT }: DeployConfig, { isAuthOff }: LauncherSettings): Record<string, string> {
  const addresses = domainServices.map((name) => [
    `${name.toUpperCase()}_URL`,
    `http://${name}:${SERVICE_PORT}`,
  ]);
  return {
    ...Object.fromEntries(addresses),
    HOST: '0.0.0.0',
    // Requests to a port published on loopback arrive through the containers' bridge.
    ...(isAuthOff ? { AUTH_DEV_MODE_PEERS: 'loopback,linklocal,uniquelocal' } : {}),
  };
}

/**
 * Formats settings for both `node --env-file` and `kubectl create secret --from-env-file`. Values are not quoted,
 * because kubectl would keep the quotes.
 */
function envFile(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (/["'`#\n\r]|^\s|\s$/.test(value))
      throw new Error(`${name}: must not contain quotes, # or line breaks`);
    return `${name}=${value}`;
  });
  return `${lines.join('\n')}\n`;
}

async function write(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(file, text, { mode: 0o600 });
  await chmod(file, 0o600);
}
