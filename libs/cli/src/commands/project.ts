import type { Client } from '@botyard/client/client';
import { type Comparison, compare, entryOf, type Item } from '../folder/compare.ts';
import { filesOf } from '../folder/files.ts';
import { type Lock, writeLock } from '../folder/lock-file.ts';
import { botsOf } from '../kinds/bots.ts';
import { agents, capabilities, tools } from '../kinds/definitions.ts';
import type { Kind } from '../kinds/kind.ts';
import { rules } from '../kinds/rules.ts';
import { sets } from '../kinds/sets.ts';
import { differenceOf } from '../output/difference.ts';

/** A folder and the tenant that it is compared with. */
export interface Project {
  api: Client;
  tenantId: string;
  folder: string;
}

/** Each kind names only things of kinds before it. */
const kindsOf = (tenantId: string): readonly Kind[] => [
  tools,
  capabilities,
  agents,
  botsOf(tenantId),
  rules,
  sets,
];

export const compareProject = ({ api, tenantId, folder }: Project): Promise<Comparison> =>
  compare(api, { folder, tenantId, kinds: kindsOf(tenantId) });

/** Remembers what both sides have now. Things that still differ keep their entries. */
export async function saveLock({ folder, tenantId }: Project, { items, lock }: Comparison): Promise<void> {
  const next: Lock = new Map();
  for (const item of items) {
    const entry = item.change === 'same' ? entryOf(item) : lock.get(item.path);
    if (entry) next.set(item.path, entry);
  }
  await writeLock(folder, tenantId, next);
}

/** The files of an item, from the state in the tenant to that in the folder, as `diff -u` shows them. */
export function differencesOf({ kind, slug, local, remote }: Item): string {
  const before = remote ? filesOf(kind, slug, remote.content) : new Map<string, string>();
  const after = local ? filesOf(kind, slug, local) : new Map<string, string>();
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => differenceOf(path, before.get(path), after.get(path)))
    .join('');
}
