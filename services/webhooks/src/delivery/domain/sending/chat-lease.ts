import { setTimeout as pause } from 'node:timers/promises';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { HttpError } from '@botyard/shared/http/errors';
import type { Platform } from '../../../platforms/platform.ts';
import { type ClaimedChat, type LockedChat, lockChat } from '../../store/sending.ts';

/** A call to the platform begins at most this long after the last check that the chat is still held. */
const freshMs = 1500;

/**
 * `locking` is a pending query, sent before all other queries of the work. It resolves with `undefined` when the chat
 * was lost.
 */
type WorkOnChat<Result> = (
  tx: TenantTx,
  locking: Promise<LockedChat | undefined>,
) => Promise<Result | undefined>;

/**
 * A worker's lease of a chat. It is checked again before a call to the platform, because this process may have slept.
 */
export class ChatLease {
  readonly chat: ClaimedChat;
  readonly #database: Database;
  readonly #platform: Pick<Platform, 'records'>;
  #renewedAt: number;
  readonly #givingUp: AbortSignal;
  /** The last send that this worker has begun or tried to begin, unless it was made. */
  begun: { partId: string; send: number } | undefined;

  /**
   * After `givingUp` is aborted nothing is retried. `heldSince` is a time at which the chat was held for certain, by
   * `performance.now()`.
   */
  constructor(
    database: Database,
    chat: ClaimedChat,
    {
      platform,
      givingUp,
      heldSince = Number.NEGATIVE_INFINITY,
    }: { platform: Pick<Platform, 'records'>; givingUp: AbortSignal; heldSince?: number | undefined },
  ) {
    this.#platform = platform;
    this.#database = database;
    this.chat = chat;
    this.#givingUp = givingUp;
    this.#renewedAt = heldSince;
  }

  /**
   * Runs `work` in a transaction that locks the chat and renews its lease. `work` may read while the lock is pending,
   * and writes once it knows that the chat is held; it returns `undefined` when it is not. Retries during an outage.
   * Resolves with `undefined` when the chat was lost to another worker.
   */
  async renew<Result>(work: WorkOnChat<Result>): Promise<Result | undefined> {
    return await throughOutages(() => this.renewOnce(work), this.#givingUp);
  }

  /** Whether the chat is still held, and for long enough to make one call. */
  async isFresh(): Promise<boolean> {
    if (performance.now() - this.#renewedAt < freshMs) return true;
    return (await this.renew(async (_tx, locking) => ((await locking) ? true : undefined))) ?? false;
  }

  /** The same as `renew`, without retries. Statements that were sent before the loss was noticed are rolled back. */
  async renewOnce<Result>(work: WorkOnChat<Result>): Promise<Result | undefined> {
    const begunAt = performance.now();
    try {
      return await withTenant(
        this.#database,
        [this.chat.tenantId],
        async (tx) => {
          const recorded = this.#platform.records?.lock(tx, this.chat);
          const locking = lockChat(tx, this.chat);
          const [locked, result] = await Promise.all([locking, work(tx, locking), recorded]);
          if (!locked) throw new ChatLost();
          tx.afterCommit(() => {
            this.#renewedAt = begunAt;
          });
          return result;
        },
        { plansOnce: true },
      );
    } catch (error) {
      if (error instanceof ChatLost) return undefined;
      throw error;
    }
  }
}

class ChatLost extends Error {
  override readonly name = 'ChatLost';
}

const retryEveryMs = 200;

/**
 * Repeats the work during an outage of the database: meanwhile other workers can't claim what it holds, and only this
 * process knows what it has begun. @throws the last error of the work.
 */
async function throughOutages<Result>(work: () => Promise<Result>, givingUp: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || givingUp.aborted) throw error;
      await pause(retryEveryMs, undefined, { signal: givingUp }).catch(() => undefined);
    }
  }
}

const isOutage = (error: unknown) =>
  (error instanceof HttpError && error.status === 503) || isContention(error);
