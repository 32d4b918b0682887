import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets } from '../launcher/settings/secrets.ts';
import { serviceEnv } from '../launcher/settings/service-env.ts';
import { domainServices, type ServiceName, serviceNames } from '../launcher/settings/services.ts';
import { readLauncherSettings } from '../launcher/settings/settings.ts';
import { type DeployConfig, ownerUrl } from './config.ts';
import { natsConfig } from './nats-config.ts';
import { settingsOf } from './settings-of.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** One folder for each that reads it, so that none has to see another's secrets. */
export async function writeSettings(config: DeployConfig, secrets: Secrets, env: Env): Promise<void> {
  const settings = readLauncherSettings(env);
  for (const service of serviceNames) {
    const known = serviceEnv(service, {
      env,
      settings,
      secrets,
      gatewayPort: settings.port,
      // Every service has a host of its own, so their ports don't matter.
      ports: Object.fromEntries(serviceNames.map((name) => [name, config.SERVICE_PORT])) as Record<
        ServiceName,
        number
      >,
      ownerUrl: ownerUrl(config, secrets),
      nats: { url: config.NATS_URL, isOurs: true },
      sandboxUrl: undefined,
    });
    const deployed = {
      ...known,
      SERVICE_HOST: '0.0.0.0',
      ...(service === 'gateway' ? gatewayEnv(config) : {}),
    };
    await write(join(config.SETTINGS_DIR, service), 'env', envFile(settingsOf(service, deployed)));
  }
  const nats = natsConfig(settings.natsNamespace, secrets);
  await write(join(config.SETTINGS_DIR, 'nats'), 'nats-server.json', `${JSON.stringify(nats, null, 2)}\n`);
  await write(join(config.SETTINGS_DIR, 'postgres'), 'password', secrets.ownerPassword);
}

function gatewayEnv({ SERVICE_PORT }: DeployConfig): Record<string, string> {
  const addresses = domainServices.map((name) => [
    `${name.toUpperCase()}_URL`,
    `http://${name}:${SERVICE_PORT}`,
  ]);
  return { ...Object.fromEntries(addresses), HOST: '0.0.0.0' };
}

/** As both `node --env-file` and `kubectl create secret --from-env-file` read it: without quotes, which one of them keeps. */
function envFile(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (/["'`#\n\r]|^\s|\s$/.test(value))
      throw new Error(`${name}: quotes, # and line breaks can't be in a settings file`);
    return `${name}=${value}`;
  });
  return `${lines.join('\n')}\n`;
}

async function write(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(file, text, { mode: 0o644 });
  await chmod(file, 0o644);
}
