import type { Client } from '@botyard/client/client';
import type { Content, Kind, RemoteThing } from '../kinds/kind.ts';
import { Names } from '../kinds/names.ts';
import { ifSwitchedOn } from '../kinds/rules.ts';
import { areEqual, hashOf } from './canonical.ts';
import { readThings } from './files.ts';
import { type Lock, readLock } from './lock-file.ts';

/** A thing in the folder, in the tenant, or in both. */
export interface Item {
  kind: Kind;
  slug: string;
  /** `agents/support`. */
  path: string;
  local: Content | undefined;
  remote: { thing: RemoteThing; content: Content } | undefined;
  /**
   * `same`; changed, new or removed `here` (in the folder) or `there` (in the tenant) since the last pull or push; or
   * `both`, in different ways.
   */
  change: 'same' | 'here' | 'there' | 'both';
}

export interface Comparison {
  items: Item[];
  names: Names;
  lock: Lock;
}

/** Compares a folder with a tenant, kind by kind in the order of `kinds`. @throws CliError, ApiError. */
export async function compare(
  api: Client,
  { folder, tenantId, kinds }: { folder: string; tenantId: string; kinds: readonly Kind[] },
): Promise<Comparison> {
  const lock = await readLock(folder, tenantId);
  const names = new Names();
  for (const { serverId, name } of await ifSwitchedOn(api.get('/api/integrations/servers')))
    names.name('servers', { id: serverId, title: name });
  const sides = [];
  for (const kind of kinds) {
    const [local, things] = await Promise.all([readThings(folder, kind), kind.list(api)]);
    sides.push({ kind, local, things: nameThings({ kind, local, things, lock, names }) });
  }
  const items: Item[] = [];
  for (const { kind, local, things } of sides)
    for (const slug of new Set([...local.keys(), ...things.keys()])) {
      const thing = things.get(slug);
      const remote = thing && { thing, content: { ...kind.defaults, ...(await thing.content(names)) } };
      const path = `${kind.name}/${slug}`;
      items.push(itemOf({ kind, slug, path, local: local.get(slug), remote }, lock));
    }
  return { items, names, lock };
}

/** Things keep the names of the last time. New ones get the file of the same name, or a free one. */
function nameThings(of: {
  kind: Kind;
  local: Map<string, Content>;
  things: readonly RemoteThing[];
  lock: Lock;
  names: Names;
}): Map<string, RemoteThing> {
  const { kind, local, things, lock, names } = of;
  const named = new Map<string, RemoteThing>();
  const add = (slug: string, thing: RemoteThing) => {
    names.add(kind.name, slug, thing.id);
    named.set(slug, thing);
  };
  const slugsById = new Map(
    [...lock]
      .filter(([path]) => path.startsWith(`${kind.name}/`))
      .map(([path, { id }]) => [id, path.slice(kind.name.length + 1)]),
  );
  const free = new Map([...local].filter(([slug]) => !lock.has(`${kind.name}/${slug}`)));
  const unnamed: RemoteThing[] = [];
  for (const thing of things) {
    const slug = slugsById.get(thing.id);
    if (slug !== undefined) add(slug, thing);
    else unnamed.push(thing);
  }
  for (const thing of unnamed.toReversed()) {
    const [slug] = [...free].find(([, { name }]) => name === thing.title) ?? [];
    if (slug !== undefined) {
      free.delete(slug);
      add(slug, thing);
    } else
      named.set(
        names.name(kind.name, thing, (taken) => local.has(taken)),
        thing,
      );
  }
  return named;
}

function itemOf(item: Omit<Item, 'change'>, lock: Lock): Item {
  const { local, remote, path } = item;
  const before = lock.get(path);
  if (local && remote && areEqual(local, remote.content)) return { ...item, change: 'same' };
  const isHere = hashIfAny(local) !== before?.local;
  const isThere = hashIfAny(remote?.content) !== before?.remote;
  const change = isHere && isThere ? 'both' : isHere ? 'here' : isThere ? 'there' : 'same';
  return { ...item, change };
}

const hashIfAny = (content: Content | undefined): string | undefined => content && hashOf(content);

/** The entry of a thing that both sides have. */
export function entryOf({ local, remote }: Pick<Item, 'local' | 'remote'>) {
  return local && remote
    ? { id: remote.thing.id, local: hashOf(local), remote: hashOf(remote.content) }
    : undefined;
}
