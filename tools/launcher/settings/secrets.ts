import { randomBytes, randomInt } from 'node:crypto';
import { chmod, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../../embedded/start-error.ts';
import { serviceNames } from './services.ts';

const Stored = z.object({
  secretsKeys: z.string(),
  identity: z.object({ signingKey: z.string(), verifyKey: z.string() }),
  ownerPassword: z.string(),
  postgres: z.record(z.string(), z.string()),
  nats: z.record(z.string(), z.string()),
  demoBotToken: z.string(),
});

/** This installation's secrets. Generated at the first start, stored in DATA_DIR, readable only by the owner. */
export type Secrets = z.output<typeof Stored>;

/** The logins of the embedded nats-server: one per service, and one for the launcher. */
export const natsUsers = [...serviceNames, 'admin'] as const;

/** The login of nats-servers to each other. */
export const routesUser = 'routes';

/** Reads the secrets. Generates and saves missing ones. @throws StartError if the file is damaged. */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const file = join(dataDir, 'secrets.json');
  const before = await readStored(file);
  const secrets: Secrets = {
    secretsKeys: before.secretsKeys ?? `k1:${randomBytes(32).toString('base64url')}`,
    identity: before.identity ?? (await newIdentity()),
    ownerPassword: before.ownerPassword ?? newPassword(),
    postgres: withPasswords(before.postgres, [...serviceNames, 'reader']),
    nats: withPasswords(before.nats, [...natsUsers, routesUser]),
    demoBotToken: before.demoBotToken ?? newBotToken(),
  };
  if (JSON.stringify(secrets) !== JSON.stringify(before)) await writeStored(file, secrets);
  await chmod(file, 0o600).catch(unlessReadOnly);
  return secrets;
}

async function readStored(file: string): Promise<Partial<Secrets>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new StartError(
      `${file} can't be read (${(error as NodeJS.ErrnoException).code}): check its permissions`,
    );
  }
  try {
    return Stored.partial().parse(JSON.parse(text)) as Partial<Secrets>;
  } catch {
    throw new StartError(
      `${file} is damaged: restore it from a copy, because the data in this directory can't be opened without it`,
    );
  }
}

/** Replaces the file atomically, because data sealed with a lost key can never be opened again. */
async function writeStored(file: string, secrets: Secrets): Promise<void> {
  const unfinished = `${file}.new`;
  await rm(unfinished, { force: true });
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
}

/** Ignores the error of a file that is mounted read-only or belongs to another user. */
function unlessReadOnly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EROFS' && error.code !== 'EPERM') throw error;
}

function withPasswords(
  before: Record<string, string> | undefined,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, before?.[name] ?? newPassword()]));
}

function newPassword(): string {
  return randomBytes(24).toString('base64url');
}

/** Generates a token in the messenger's format: the bot's number, then 35 characters. */
function newBotToken(): string {
  return `${randomInt(7_000_000_000, 8_000_000_000)}:${randomBytes(27).toString('base64url').slice(0, 35)}`;
}

/** Imports its dependency lazily, because it loads all of `jose` and is needed at the first start only. */
async function newIdentity(): Promise<Secrets['identity']> {
  const { generateIdentityKeys } = await import('@botyard/shared/auth/identity');
  return await generateIdentityKeys();
}
