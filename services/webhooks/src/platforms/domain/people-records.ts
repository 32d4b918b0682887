import type { Account } from '@botyard/shared/auth/person-id';
import type { TenantTx } from '@botyard/shared/db/database';

/** A platform's records of people: an erasure reaches them only through the adapter. */
export interface PeopleRecords {
  /** The accounts in these records that have one of the hashed identifiers. */
  findAccounts?(of: { tenantId: string; personIds: readonly string[] }): Promise<Account[]>;
  /** The private chats of accounts, if only these records lead to them. */
  listPrivateChats?(
    tx: TenantTx,
    of: { tenantId: string; platformUserIds: readonly string[] },
  ): Promise<{ conversationId: string; platformChatId: string }[]>;
  /** Erases what was said. Called before the replies are erased; `false` when the time ran out. */
  erase?(erasure: PeopleErasure): Promise<boolean>;
  /** Erases what leads to their private chats. Called last: after a kill, those are found again. */
  forget?(erasure: PeopleErasure): Promise<void>;
}

/** Parameters of one call of an erasure. */
export interface PeopleErasure {
  tenantId: string;
  platformUserIds: readonly string[];
  erasedBefore: Date;
  /** The time at which this call stops. */
  deadline: number;
  /** Counts erased rows of a store. */
  add(store: string, erased: number): void;
}
