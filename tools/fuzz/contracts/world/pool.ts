import type { GroupName } from '../planned-call.ts';

/** A created resource that paths and bodies can name. */
export interface Resource {
  /** The placeholder in a planned call, for example `17:botId`. */
  key: string;
  /** The name of its path parameter, or `agents/id` if the parameter is `id`. */
  kind: string;
  value: string;
  /** The owning group. `undefined` if the resource isn't private to one tenant. */
  owner: GroupName | undefined;
  isDeleted: boolean;
  /** True for the tenants themselves and their people, which are never removed. */
  isKept: boolean;
}

/** The resources that calls have created or shown so far. */
export class Pool {
  readonly #byKey = new Map<string, Resource>();
  readonly #byValue = new Map<string, Resource>();
  readonly #byKind = new Map<string, Resource[]>();
  /** The values and canaries that their owners have published. */
  readonly #published = new Set<string>();
  readonly #written = new Map<GroupName, string[]>();
  readonly #told = new Set<string>();
  readonly #sharing = new Set<GroupName>();

  /** Adds a resource. Does nothing if its value is known. */
  add(resource: Omit<Resource, 'isDeleted' | 'isKept'> & { isKept?: boolean }): void {
    if (this.#byValue.has(resource.value) || this.#byKey.has(resource.key)) return;
    const added = { isKept: false, ...resource, isDeleted: false };
    this.#byKey.set(added.key, added);
    this.#byValue.set(added.value, added);
    const alike = this.#byKind.get(added.kind);
    if (alike) alike.push(added);
    else this.#byKind.set(added.kind, [added]);
  }

  get(key: string): Resource | undefined {
    return this.#byKey.get(key);
  }

  withValue(value: string): Resource | undefined {
    return this.#byValue.get(value.toLowerCase()) ?? this.#byValue.get(value);
  }

  ofKind(kind: string): readonly Resource[] {
    return this.#byKind.get(kind) ?? [];
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Records words that a group has written into its definitions. */
  write(group: GroupName, words: readonly string[]): void {
    if (this.#sharing.has(group)) this.publish(words);
    else this.#written.set(group, [...(this.#written.get(group) ?? []), ...words]);
  }

  /** Records that a group has published a definition, which may contain any of its texts. */
  share(group: GroupName): void {
    this.#sharing.add(group);
    this.publish(this.#written.get(group) ?? []);
  }

  /** Records other groups' identifiers in an accepted body. The group may read them again. */
  tell(group: GroupName, values: Iterable<string>): void {
    for (const value of values) this.#told.add(`${group} ${value}`);
  }

  isTold(group: GroupName | undefined, value: string): boolean {
    return this.#told.has(`${group} ${value}`);
  }

  publish(words: Iterable<string>): void {
    for (const word of words) this.#published.add(word);
  }

  isPublished(word: string): boolean {
    return this.#published.has(word);
  }
}
