import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import { CliError } from '../cli-error.ts';
import { ifMissing } from '../folder/files.ts';

/** The sign-in at one installation. */
export interface Credentials {
  issuer: string;
  clientId: string;
  /** The API that the token is for. */
  resource: string;
  accessToken: string;
  refreshToken?: string | undefined;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

interface CredentialsFile {
  /** By the origin of the installation: a token is sent to no other one. */
  origins: Record<string, Credentials>;
}

const pathOf = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'botyard', 'credentials.json');

export async function readCredentials(
  env: NodeJS.ProcessEnv,
  origin: string,
): Promise<Credentials | undefined> {
  return (await readAll(env)).origins[origin];
}

/** Readable by its owner only, and replaced as a whole. */
export async function saveCredentials(
  env: NodeJS.ProcessEnv,
  origin: string,
  credentials: Credentials,
): Promise<string> {
  const path = pathOf(env);
  const { origins } = await readAll(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${randomUUID()}`;
  const text = JSON.stringify({ origins: { ...origins, [origin]: credentials } }, undefined, 2);
  await writeFile(next, `${text}\n`, { mode: 0o600 });
  await rename(next, path);
  return path;
}

async function readAll(env: NodeJS.ProcessEnv): Promise<CredentialsFile> {
  const path = pathOf(env);
  const text = await readFile(path, 'utf8').catch(ifMissing('{"origins":{}}'));
  try {
    const file = parseForeignJson(text) as CredentialsFile;
    if (typeof file.origins === 'object' && file.origins !== null) return file;
  } catch {
    // Reported like a file of another shape.
  }
  throw new CliError(`${path} can't be read: remove it and sign in again with "botyard login"`);
}
