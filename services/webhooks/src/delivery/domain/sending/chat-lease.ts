import { setTimeout as pause } from 'node:timers/promises';
import { type Database, plannedOnce, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { isContention } from '@botyard/shared/db/failures';
import { HttpError } from '@botyard/shared/http/errors';
import type { Platform } from '../../../platforms/platform.ts';
import { type ClaimedChat, type LockedChat, lockChat } from '../../store/sending.ts';

/** A call to the platform begins at most this long after the last check that the chat is still held. */
const freshMs = 1500;

/** `locking` is on its way, before everything that the work sends; it comes to `undefined` when the chat was lost. */
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
  /** The send that this worker has begun last, or has tried to begin, unless it was made. */
  begun: { partId: string; send: number } | undefined;

  /**
   * With `givingUp` nothing is tried again any more. `heldSince`: when the chat was certainly held, by
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
    this.#database = plannedOnce(database);
    this.chat = chat;
    this.#givingUp = givingUp;
    this.#renewedAt = heldSince;
  }

  /**
   * Runs `work` in a transaction that has the chat locked and its lease renewed. `work` may read beside the locking,
   * and writes when it knows that the chat is held; it returns `undefined` when it is not. Tried again through an
   * outage. `undefined` when the chat was lost to another worker.
   */
  async renew<Result>(work: WorkOnChat<Result>): Promise<Result | undefined> {
    return await throughOutages(() => this.renewOnce(work), this.#givingUp);
  }

  /** Whether the chat is still held, and for long enough to make one call. */
  async isFresh(): Promise<boolean> {
    if (performance.now() - this.#renewedAt < freshMs) return true;
    return (await this.renew(async (_tx, locking) => ((await locking) ? true : undefined))) ?? false;
  }

  /** As `renew`, without another try. What was asked before the loss was seen is undone. */
  async renewOnce<Result>(work: WorkOnChat<Result>): Promise<Result | undefined> {
    const begunAt = performance.now();
    try {
      return await withTenant(this.#database, [this.chat.tenantId], async (tx) => {
        const recorded = this.#platform.records?.lock(tx, this.chat);
        const locking = lockChat(tx, this.chat);
        const [locked, result] = await Promise.all([locking, work(tx, locking), recorded]);
        if (!locked) throw new ChatLost();
        tx.afterCommit(() => {
          this.#renewedAt = begunAt;
        });
        return result;
      });
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
 * Does the work again while the database can't be asked: what it holds can't be claimed by others meanwhile, and what
 * it may have begun is known to it alone. @throws what the work throws, in the end.
 */
export async function throughOutages<Result>(
  work: () => Promise<Result>,
  givingUp: AbortSignal,
): Promise<Result> {
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
