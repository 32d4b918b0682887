import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { baseConfig, readConfig } from '@botyard/shared/config/config';
import { objectStoreSettings } from '@botyard/shared/files/objects/settings';
import { loadSecrets, type Secrets } from '../../launcher/settings/secrets.ts';
import { DeployConfig, ownerUrl } from '../config.ts';
import { backup, type Installation } from './backup.ts';
import { NatsStore } from './objects.ts';
import { restore, restoreMissingFiles } from './restore.ts';

const megabyte = 1024 * 1024;
const BackupConfig = DeployConfig.extend({
  NATS_CA_FILE: baseConfig.shape.NATS_CA_FILE,
  NATS_NAMESPACE: baseConfig.shape.NATS_NAMESPACE,
  SECRETS_KEYS: baseConfig.shape.NATS_USER,
  OBJECT_STORE_URL: objectStoreSettings.OBJECT_STORE_URL,
  OBJECT_STORE_MAX_MEGABYTES: objectStoreSettings.OBJECT_STORE_MAX_MEGABYTES,
});
type Env = Readonly<Record<string, string | undefined>>;

export async function runBackup(file: string, servicesDir: string, env: Env): Promise<void> {
  await withInstallation(servicesDir, env, (installation) => backup(file, installation));
}

export async function runRestore(
  { file, replaces }: { file: string; replaces: boolean },
  servicesDir: string,
  env: Env,
): Promise<void> {
  await withInstallation(servicesDir, env, async (installation, { postgres }) => {
    const passwords = postgres as Parameters<typeof restore>[1]['passwords'];
    const options = { ...installation, passwords, readerPassword: postgres.reader, replaces };
    const { version, madeAt, hasObjects, returned } = await restore(file, options);
    console.log(
      `restore: backup of version ${version}, made at ${madeAt}${hasObjects ? '' : ', without files'}`,
    );
    for (const what of returned)
      console.log(`restore: restored although it was deleted after the backup: ${what}`);
  });
}

export async function runRestoreFiles(file: string, servicesDir: string, env: Env): Promise<void> {
  await withInstallation(servicesDir, env, (installation) => restoreMissingFiles(file, installation));
}

async function withInstallation(
  servicesDir: string,
  env: Env,
  work: (installation: Installation, secrets: Secrets) => Promise<void>,
): Promise<void> {
  const config = readConfig(BackupConfig, env);
  const secrets = await loadSecrets(config.SETTINGS_DIR);
  const { version } = JSON.parse(await readFile(join(servicesDir, '..', 'package.json'), 'utf8'));
  const place = {
    url: config.NATS_URL,
    caFile: config.NATS_CA_FILE,
    namespace: config.NATS_NAMESPACE,
    maxBytes: config.OBJECT_STORE_MAX_MEGABYTES * megabyte,
    replicas: config.NATS_REPLICAS,
  };
  const nats = config.OBJECT_STORE_URL ? undefined : await NatsStore.open(place, secrets);
  try {
    const secretsKeys = config.SECRETS_KEYS ?? secrets.secretsKeys;
    const own = { ownerUrl: ownerUrl(config, secrets), servicesDir, version, secretsKeys };
    await work({ ...own, namespace: config.NATS_NAMESPACE, nats }, secrets);
  } finally {
    await nats?.close();
  }
}
