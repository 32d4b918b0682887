import { setTimeout as pause } from 'node:timers/promises';
import { type Database, plannedOnce, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { HttpError } from '@botyard/shared/http/errors';
import { type ClaimedChat, type LockedChat, lockChat } from '../../store/sending.ts';

/** The lease (8 s) minus the longest call (6 s) and some slack: a call that begins later may outlast the lease. */
const freshMs = 1500;

/** `locking` is on its way, before everything that the work sends; it comes to `undefined` when the chat was lost. */
type WorkOnChat<Result> = (
  tx: TenantTx,
  locking: Promise<LockedChat | undefined>,
) => Promise<Result | undefined>;

/** A worker's hold on a chat. Its lease must be fresh when a call to the platform begins: else two could send. */
export class Hold {
  readonly chat: ClaimedChat;
  readonly #database: Database;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, chat: ClaimedChat) {
    this.#database = plannedOnce(database);
    this.chat = chat;
  }

  /**
   * Runs `work` in a transaction that has the chat locked and its lease renewed. `work` may read beside the locking, and
   * writes when it knows that the chat is held; it returns `undefined` when it is not. Tried again through an outage:
   * what was sent must be written down, or it would be sent again. `undefined` when the chat was lost to another worker.
   */
  async renew<Result>(work: WorkOnChat<Result>): Promise<Result | undefined> {
    return await throughOutages(() => this.#locked(work));
  }

  /** Whether the chat is still held, and for long enough to make one call. */
  async isFresh(): Promise<boolean> {
    if (performance.now() - this.#renewedAt < freshMs) return true;
    return (await this.renew(async (_tx, locking) => ((await locking) ? true : undefined))) ?? false;
  }

  #locked<Result>(work: WorkOnChat<Result>): Promise<Result | undefined> {
    const begunAt = performance.now();
    return withTenant(this.#database, [this.chat.tenantId], async (tx) => {
      const locking = lockChat(tx, this.chat);
      const [locked, result] = await Promise.all([locking, work(tx, locking)]);
      if (!locked) return undefined;
      tx.afterCommit(() => {
        this.#renewedAt = begunAt;
      });
      return result;
    });
  }
}

const retryEveryMs = 200;
const retryForMs = 8000;

/**
 * Does the work again while the database can't be asked, for 8 s: what was sent must be written down, or it would be
 * sent again. @throws what the work throws, in the end.
 */
export async function throughOutages<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + retryForMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || performance.now() > deadline) throw error;
      await pause(retryEveryMs);
    }
  }
}

const isOutage = (error: unknown) =>
  (error instanceof HttpError && error.status === 503) || isContention(error);
