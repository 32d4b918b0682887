import {
  AppSpec,
  maxSpecBytes,
  maxSpecDepth,
  maxSpecValues,
  specLists,
} from '@botyard/contracts/http/app-spec';
import type { z } from 'zod';

export interface Fault {
  path: string;
  message: string;
}

type Lists = typeof specLists;
type ItemOf<List extends keyof Lists> = z.output<Lists[List]['item']>;

/** The items of a spec that can be read, each with its path, so that a fault in one doesn't hide those in others. */
export type ReadSpec = { [List in keyof Lists]: { path: string; item: ItemOf<List> }[] };

export function readSpec(draft: unknown): ReadSpec {
  const read = <List extends keyof Lists>(list: List) =>
    itemsOf(draft, list).flatMap((value, index) => {
      const parsed = specLists[list].item.safeParse(value);
      return parsed.success ? [{ path: `${list}.${index}`, item: parsed.data as ItemOf<List> }] : [];
    });
  return {
    agents: read('agents'),
    capabilities: read('capabilities'),
    recordTypes: read('recordTypes'),
    routes: read('routes'),
  };
}

function itemsOf(draft: unknown, list: keyof Lists): unknown[] {
  const value = (draft as Record<string, unknown> | null)?.[list];
  return Array.isArray(value) ? value.slice(0, specLists[list].most) : [];
}

/** Every fault within a spec. Its references to things of the tenant are checked elsewhere. */
export function faultsOf(draft: unknown): Fault[] {
  const parsed = AppSpec.safeParse(draft);
  const shape = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => ({
        path: path.map(String).join('.'),
        message: message.slice(0, 300).toWellFormed(),
      }));
  return [...shape, ...faultsWithin(readSpec(draft), draft)];
}

function faultsWithin(spec: ReadSpec, draft: unknown): Fault[] {
  const namesIn = (list: keyof Lists, field: string) =>
    new Set(itemsOf(draft, list).map((item) => (item as Record<string, unknown> | null)?.[field]));
  const declaredNames = {
    agents: namesIn('agents', 'key'),
    capabilities: namesIn('capabilities', 'key'),
    types: namesIn('recordTypes', 'name'),
  };
  return [
    ...twice(spec.agents, ({ key }) => key, 'key'),
    ...twice(spec.agents, ({ agentId }) => agentId, 'agentId'),
    ...twice(spec.capabilities, ({ key }) => key, 'key'),
    ...twice(spec.recordTypes, ({ name }) => name, 'name'),
    ...twice(spec.routes, ({ name }) => name, 'name'),
    ...spec.agents.flatMap(({ path, item }) => [
      ...unknown(`${path}.capabilities`, item.capabilities, declaredNames.capabilities, 'capability'),
      ...unknown(
        `${path}.records`,
        item.records.map(({ type }) => type),
        declaredNames.types,
        'type of records',
      ),
    ]),
    ...spec.recordTypes.flatMap(({ path, item }) => faultsOfFields(path, item)),
    ...spec.routes.flatMap(({ path, item }) =>
      declaredNames.agents.has(item.agent)
        ? []
        : [{ path: `${path}.agent`, message: 'is not the key of an agent in the spec' }],
    ),
    ...hidden(spec.routes),
  ];
}

function twice<Item>(
  items: readonly { path: string; item: Item }[],
  nameOf: (item: Item) => string,
  field: string,
): Fault[] {
  const seen = new Map<string, string>();
  return items.flatMap(({ path, item }) => {
    const name = nameOf(item);
    const first = seen.get(name);
    if (first === undefined) seen.set(name, path);
    return first === undefined ? [] : [{ path: `${path}.${field}`, message: `is already used by ${first}` }];
  });
}

/** Names that the spec doesn't define, and names that are listed twice. */
function unknown(path: string, names: readonly string[], known: ReadonlySet<unknown>, what: string): Fault[] {
  return names.flatMap((name, index) => {
    if (!known.has(name)) return [{ path: `${path}.${index}`, message: `is not a ${what} of the spec` }];
    return names.indexOf(name) < index ? [{ path: `${path}.${index}`, message: 'is listed twice' }] : [];
  });
}

function faultsOfFields(path: string, { fields }: ItemOf<'recordTypes'>): Fault[] {
  const placed = fields.map((item, index) => ({ path: `${path}.fields.${index}`, item }));
  return [
    ...twice(placed, ({ name }) => name, 'name'),
    ...placed.flatMap(({ path: place, item }) => {
      if (item.type === 'choice' && new Set(item.options).size < item.options.length)
        return [{ path: `${place}.options`, message: 'must not list an option twice' }];
      const isEmpty = item.type === 'number' && (item.min ?? -Infinity) > (item.max ?? Infinity);
      return isEmpty ? [{ path: `${place}.max`, message: 'must not be less than min' }] : [];
    }),
  ];
}

/** Routes that never match, because an earlier route has the same condition. */
function hidden(routes: ReadSpec['routes']): Fault[] {
  return twice(
    routes,
    ({ where, when }) =>
      JSON.stringify([
        sorted(where),
        when.match === 'words' ? { ...when, words: when.words.toSorted() } : when,
      ]),
    'when',
  );
}

const sorted = (fields: object) => Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1));

/**
 * The reason why a draft can't be stored: it is larger or deeper than any spec may be. Checked before the draft is
 * parsed.
 */
export function whyUnkept(draft: unknown): string | undefined {
  let level: unknown[] = [draft];
  let values = 0;
  // Iterative, because a body can be nested deeper than the call stack.
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxSpecDepth) return `must not be nested deeper than ${maxSpecDepth}`;
    values += level.length;
    if (values > maxSpecValues) return `must not hold more than ${maxSpecValues} values`;
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
  }
  if (Buffer.byteLength(JSON.stringify(draft)) > maxSpecBytes)
    return `must not be larger than ${maxSpecBytes / 1024} KiB`;
  return undefined;
}
