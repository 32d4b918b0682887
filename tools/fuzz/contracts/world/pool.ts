import type { GroupName } from '../planned-call.ts';

/** A created thing that paths and bodies can name. */
export interface Resource {
  /** Its placeholder in a planned call: `17:botId`. */
  key: string;
  /** The name of the path parameter that takes it; `agents/id` where that is `id`. */
  kind: string;
  value: string;
  /** `undefined`: not a secret of one tenant. */
  owner: GroupName | undefined;
  isDeleted: boolean;
  /** The tenants themselves and their people, which are never removed. */
  isKept: boolean;
}

/** Everything that the calls so far have made or shown. */
export class Pool {
  readonly #byKey = new Map<string, Resource>();
  readonly #byValue = new Map<string, Resource>();
  readonly #byKind = new Map<string, Resource[]>();
  /** Values, and canaries, that their owner has published. */
  readonly #published = new Set<string>();
  readonly #written = new Map<GroupName, string[]>();
  readonly #told = new Set<string>();
  readonly #sharing = new Set<GroupName>();

  /** Does nothing for a known value. */
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

  /** A group has written these words into its definitions. */
  write(group: GroupName, words: readonly string[]): void {
    if (this.#sharing.has(group)) this.publish(words);
    else this.#written.set(group, [...(this.#written.get(group) ?? []), ...words]);
  }

  /** A group has published something, which may contain any of its texts. */
  share(group: GroupName): void {
    this.#sharing.add(group);
    this.publish(this.#written.get(group) ?? []);
  }

  /** A group's body with an identifier of others was accepted: the group may read it again. */
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
