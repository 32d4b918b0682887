import type { Schema } from '@botyard/client/client';

export type Spec = Schema<'AppSpec'>;
export type SpecAgent = Spec['agents'][number];
export type SpecRoute = Spec['routes'][number];
export type SpecRecordType = Spec['recordTypes'][number];
export type SpecField = Schema<'RecordField'>;

const lists = ['agents', 'capabilities', 'recordTypes', 'routes'] as const;

/** A draft as forms show it, with its missing lists empty; `undefined` for one that only its text can show. */
export function readSpec(draft: unknown): Spec | undefined {
  if (typeof draft !== 'object' || draft === null || Array.isArray(draft)) return undefined;
  const filled = { ...Object.fromEntries(lists.map((name) => [name, []])), ...draft } as Record<
    string,
    unknown
  >;
  const areShown = lists.every((name) => {
    const items = filled[name];
    return Array.isArray(items) && items.every((item) => typeof item === 'object' && item !== null);
  });
  return areShown ? (filled as unknown as Spec) : undefined;
}

/** A key that the list doesn't have yet, made from a name. */
export function newKey(name: string, keys: readonly string[]): string {
  const base =
    name
      .toLowerCase()
      .normalize('NFKD')
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replace(/^[^a-z]+/, '')
      .replace(/-+$/, '')
      .slice(0, 50) || 'item';
  let key = base;
  for (let number = 2; keys.includes(key); number += 1) key = `${base}-${number}`;
  return key;
}

/** Lists that were typed with commas, without their empty parts. */
export function withoutBlanks(spec: Spec): Spec {
  const filled = (texts: readonly string[]) => texts.map((text) => text.trim()).filter((text) => text !== '');
  return {
    ...spec,
    routes: spec.routes.map((route) =>
      route.when.match === 'words'
        ? { ...route, when: { ...route.when, words: filled(route.when.words) } }
        : route,
    ),
    recordTypes: spec.recordTypes.map((type) => ({
      ...type,
      fields: type.fields.map((field) =>
        field.type === 'choice' ? { ...field, options: filled(field.options) } : field,
      ),
    })),
  };
}
