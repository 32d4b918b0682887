import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import { CliError } from '../cli-error.ts';
import { ifMissing } from './files.ts';

const fileName = 'botyard.lock.json';

/** A thing at the last pull or push: its identifier in the tenant, and the hashes of both sides. */
export interface LockEntry {
  id: string;
  local: string;
  remote: string;
}

/** The entries of one tenant by path, such as `agents/support`. */
export type Lock = Map<string, LockEntry>;

interface LockFile {
  tenants: Record<string, Record<string, LockEntry>>;
}

/** @throws CliError for a file that isn't one of ours. */
export async function readLock(folder: string, tenantId: string): Promise<Lock> {
  return new Map(Object.entries((await readAll(folder)).tenants[tenantId] ?? {}));
}

/** Keeps the entries of other tenants. Sorted, so that it merges well. */
export async function writeLock(folder: string, tenantId: string, lock: Lock): Promise<void> {
  const { tenants } = await readAll(folder);
  tenants[tenantId] = Object.fromEntries([...lock].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  await writeFile(join(folder, fileName), `${JSON.stringify({ tenants }, undefined, 2)}\n`);
}

async function readAll(folder: string): Promise<LockFile> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(ifMissing('{"tenants":{}}'));
  try {
    const file = parseForeignJson(text) as LockFile;
    for (const entries of Object.values(file.tenants))
      for (const { id, local, remote } of Object.values(entries))
        if (![id, local, remote].every((field) => typeof field === 'string')) throw new Error('not an entry');
    return file;
  } catch {
    throw new CliError(`${fileName} can't be read. Remove it and pull again; files that differ are reported`);
  }
}
