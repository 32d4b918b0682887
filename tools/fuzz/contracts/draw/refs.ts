import { providerNames } from '@botyard/contracts/providers';
import type { SeededRandom } from '../../seeded-random.ts';
import type { Pool, Resource } from '../fixture/pool.ts';
import type { GroupName } from '../planned-call.ts';
import { refTo } from '../planned-call.ts';

interface Chosen {
  text: string;
  /** `undefined` if no such resource ever existed. */
  key: string | undefined;
}

/** Path parameters that don't name a tenant's resource. */
const words: Readonly<Record<string, readonly string[]>> = {
  provider: [...providerNames, 'nobody'],
  version: ['1', '2', '0', 'x'],
  templateId: ['faq', 'x'],
  serviceName: ['usage', 'agents', 'x'],
  collectionName: ['tenancy.tenants', 'agents.messages', 'pg_catalog.pg_authid', 'x'],
  name: ['weather', 'mail', 'x'],
};
/** Values that are neither identifiers nor another route. */
const garbage = [
  'x',
  '0',
  '-',
  '..x',
  '~',
  'NULL',
  `${'a'.repeat(300)}`,
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
];
const sameThing: Readonly<Record<string, readonly string[]>> = { agentId: ['agents/id', 'agentId'] };

export interface Wanted {
  kind: string;
  /** The intended owner. */
  group: GroupName;
  /** True for a call that changes data. It must not name callers or their tenants. */
  isWriting: boolean;
}

/** Chooses a resource: usually an existing one, else a deleted one, another tenant's, or one that never existed. */
export function chooseRef(random: SeededRandom, pool: Pool, { kind, group, isWriting }: Wanted): Chosen {
  const fixed = Object.hasOwn(words, kind) ? words[kind] : undefined;
  if (fixed) return { text: random.pick(fixed), key: undefined };
  const all = (sameThing[kind] ?? [kind])
    .flatMap((one) => pool.ofKind(one))
    .filter(({ isKept }) => !(isKept && isWriting));
  const isOwn = ({ owner }: Resource) => owner === group || owner === undefined;
  const pickOf = (resources: readonly Resource[]): Chosen =>
    resources.length === 0 ? missing(random) : chosen(recent(random, resources));
  return random.weighted<() => Chosen>([
    [76, () => pickOf(all.filter((one) => isOwn(one) && !one.isDeleted))],
    [10, () => pickOf(all.filter((one) => isOwn(one) && one.isDeleted))],
    [6, () => pickOf(all.filter((one) => !isOwn(one)))],
    [5, () => missing(random)],
    [3, () => ({ text: random.pick(garbage), key: undefined })],
  ])();
}

/** Prefers the newest resources, which are most likely still complete. */
const recent = (random: SeededRandom, resources: readonly Resource[]): Resource =>
  random.chance(0.7) ? random.pick(resources.slice(-8)) : random.pick(resources);

const chosen = ({ key }: Resource): Chosen => ({ text: refTo(key), key });
const missing = (random: SeededRandom): Chosen => ({ text: random.uuid(), key: undefined });
