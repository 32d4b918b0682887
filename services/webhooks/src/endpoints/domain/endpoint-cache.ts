import { LRUCache } from 'lru-cache';

const rememberedMs = 30_000;

/**
 * Caches loaded values for 30 s, and shares one load among concurrent callers. A value that is invalidated while it
 * loads may be outdated: its callers get it, but it isn't cached.
 */
export class EndpointCache<Value extends object> {
  readonly #load: (key: string) => Promise<Value | null>;
  readonly #remembered = new LRUCache<string, Value>({ max: 10_000, ttl: rememberedMs });
  readonly #loading = new Map<string, Promise<Value | null>>();

  constructor(load: (key: string) => Promise<Value | null>) {
    this.#load = load;
  }

  async find(key: string): Promise<Value | null> {
    return this.#remembered.get(key) ?? (await (this.#loading.get(key) ?? this.#loadOnce(key)));
  }

  forget(key: string): void {
    this.#loading.delete(key);
    this.#remembered.delete(key);
  }

  forgetAll(): void {
    this.#loading.clear();
    this.#remembered.clear();
  }

  async #loadOnce(key: string): Promise<Value | null> {
    const loading = this.#load(key);
    this.#loading.set(key, loading);
    const isCurrent = () => this.#loading.get(key) === loading;
    try {
      const value = await loading;
      if (value && isCurrent()) this.#remembered.set(key, value);
      return value;
    } finally {
      if (isCurrent()) this.#loading.delete(key);
    }
  }
}
