import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, plannedOnce, type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../../../deps.ts';
import { listReplyOutcomes } from '../../store/replies.ts';
import type { ClaimedChat } from '../../store/sending.ts';
import { lockChats, releaseEmptyChats, type SentPart, saveSentParts } from '../../store/sent-parts.ts';
import { announceOutcomes } from '../chats/settle-reply.ts';
import type { KnownOutcomes } from './known-outcomes.ts';
import type { Sent } from './next-step.ts';

/** Settling is not urgent: the message has arrived. */
const gatherMs = 25;
const maxTogether = 100;

/** Whether more waits in the chat, which is given back where nothing does; `undefined` when nothing was written. */
type Settled = 'empty' | 'more' | undefined;

interface Waiting extends SentPart {
  resolve(settled: Settled): void;
}

type SettleDeps = Pick<Deps, 'database' | 'outbox' | 'log'>;

/** Settles messages that have arrived, those of a moment in one transaction. */
export class SettledTogether {
  readonly #deps: SettleDeps;
  readonly #database: Database;
  readonly #outcomes: KnownOutcomes;
  readonly #waiting: Waiting[] = [];
  /** Joint settling belongs to no single trace. */
  readonly #outsideTraces = AsyncLocalStorage.snapshot();
  #settling: Promise<void> | undefined;

  constructor(deps: SettleDeps, outcomes: KnownOutcomes) {
    this.#deps = deps;
    this.#database = plannedOnce(deps.database);
    this.#outcomes = outcomes;
  }

  settle(chat: ClaimedChat, { part, outcome }: Sent, replyId: string): Promise<Settled> {
    const { promise, resolve } = Promise.withResolvers<Settled>();
    const { partId, sends } = part;
    const { platformMessageId = null } = outcome;
    this.#waiting.push({ chat, partId, replyId, send: sends + 1, platformMessageId, resolve });
    this.#settling ??= this.#outsideTraces(() => this.#settleAll());
    return promise;
  }

  async #settleAll(): Promise<void> {
    // The last look and the reset are one turn, so that nothing can come in between and stay behind.
    while (this.#waiting.length > 0) {
      await pause(gatherMs);
      await this.#settleTogether(this.#waiting.splice(0, maxTogether));
    }
    this.#settling = undefined;
  }

  async #settleTogether(sent: readonly Waiting[]): Promise<void> {
    const tenantIds = [...new Set(sent.map(({ chat }) => chat.tenantId))];
    try {
      const left = await withTenant(this.#database, tenantIds, (tx) => settle(this.#deps, tx, sent));
      for (const { chat, resolve } of sent) resolve(left.has(chat.fence) ? 'more' : 'empty');
    } catch (error) {
      if (!(error instanceof ChatsLost)) {
        this.#deps.log.warn({ err: error, messages: sent.length }, 'sends are settled one by one');
        this.#outcomes.noteHampered();
      }
      for (const { resolve } of sent) resolve(undefined);
    }
  }
}

/** Returns the claims of the chats in which more waits. */
async function settle(deps: SettleDeps, tx: TenantTx, sent: readonly SentPart[]): Promise<Set<number>> {
  const chats = sent.map(({ chat }) => chat);
  const [locked, , outcomes, left] = await Promise.all([
    lockChats(tx, chats),
    saveSentParts(tx, sent),
    listReplyOutcomes(
      tx,
      sent.map(({ chat: { tenantId }, replyId }) => ({ tenantId, replyId })),
    ),
    releaseEmptyChats(tx, chats),
  ]);
  if (locked < chats.length) throw new ChatsLost();
  tx.endsHere();
  await announceOutcomes(deps, tx, outcomes);
  return left;
}

/** Another worker has taken a chat over: the outcome is written without its lock. */
class ChatsLost extends Error {
  override readonly name = 'ChatsLost';
}
