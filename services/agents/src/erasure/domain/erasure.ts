import type { Receipt } from '@botyard/contracts/http/gdpr';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import type { Deps } from '../deps.ts';

export type EraseDeps = Pick<
  Deps,
  'bus' | 'database' | 'egress' | 'keyring' | 'log' | 'objects' | 'wakeWorker'
>;

/** The parameters of one erasure call. */
export interface Erasure {
  tenantId: string;
  personIds: string[];
  accounts: readonly Account[];
  /** Keys of their private chats. */
  chatKeys: string[];
  /** Email addresses among them, in lower case. */
  addresses: string[];
  privateIds: string[];
  groupIds: string[];
  /** The same conversations, by their platforms. */
  groupsOf: ReadonlyMap<PlatformName, string[]>;
  erasedBefore: Date;
  deadline: number;
}

/** Counts erased rows per store. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(store: string, erased: number): void {
    this.#counts.set(store, (this.#counts.get(store) ?? 0) + erased);
  }

  get receipts(): Receipt[] {
    return [...this.#counts].map(([store, erased]) => ({ store: `agents.${store}`, erased }));
  }
}
