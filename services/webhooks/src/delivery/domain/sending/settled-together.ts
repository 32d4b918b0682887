import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { hasFoundSome } from '@botyard/shared/db/failures';
import type { Deps } from '../../../deps.ts';
import type { ClaimedChat } from '../../store/sending.ts';
import { releaseEmptyChats, requireHeld, type SentReply, saveSentReplies } from '../../store/sent-replies.ts';
import type { KnownOutcomes } from './known-outcomes.ts';
import type { Sent } from './next-step.ts';

/** The outcome can wait for others, because the message has arrived. */
const gatherMs = 25;
const maxTogether = 100;

/** Whether the chat has more parts; an empty chat is released. `undefined` when nothing was written. */
type Settled = 'empty' | 'more' | undefined;

interface Waiting extends SentReply {
  resolve(settled: Settled): void;
}

type SettleDeps = Pick<Deps, 'database' | 'outbox' | 'log'>;

/** Saves the outcomes of single-part replies that have arrived, those of a moment in one transaction. */
export class SettledTogether {
  readonly #deps: SettleDeps;
  readonly #outcomes: KnownOutcomes;
  readonly #waiting: Waiting[] = [];
  /** A joint transaction belongs to no single trace. */
  readonly #outsideTraces = AsyncLocalStorage.snapshot();
  #settling: Promise<void> | undefined;

  constructor(deps: SettleDeps, outcomes: KnownOutcomes) {
    this.#deps = deps;
    this.#outcomes = outcomes;
  }

  settle(
    chat: ClaimedChat,
    { part: { partId, sends }, outcome }: Sent,
    reply: Pick<SentReply, 'replyId' | 'conversationId'>,
  ): Promise<Settled> {
    const { promise, resolve } = Promise.withResolvers<Settled>();
    const { platformMessageId = null } = outcome;
    this.#waiting.push({ ...reply, chat, partId, send: sends + 1, platformMessageId, resolve });
    this.#settling ??= this.#outsideTraces(() => this.#settleAll());
    return promise;
  }

  async #settleAll(): Promise<void> {
    // The last check and the reset run in the same tick, so that no item can be added in between and stay behind.
    while (this.#waiting.length > 0) {
      await pause(gatherMs);
      await this.#settleTogether(this.#waiting.splice(0, maxTogether));
    }
    this.#settling = undefined;
  }

  async #settleTogether(sent: readonly Waiting[]): Promise<void> {
    const tenantIds = [...new Set(sent.map(({ chat }) => chat.tenantId))];
    try {
      const empty = await withTenant(this.#deps.database, tenantIds, (tx) => settle(this.#deps, tx, sent), {
        isOneRoundTrip: true,
      });
      for (const { chat, resolve } of sent) resolve(empty.has(chat.fence) ? 'empty' : 'more');
    } catch (error) {
      // Another worker has taken over a chat, or a reply was erased: each outcome is written separately.
      if (!hasFoundSome(error)) {
        this.#deps.log.warn(
          { err: error, messages: sent.length },
          'the outcomes of sends are written one by one',
        );
        this.#outcomes.noteHampered();
      }
      for (const { resolve } of sent) resolve(undefined);
    }
  }
}

/** Returns the claims of the chats that have no pending parts. */
async function settle(
  { outbox }: SettleDeps,
  tx: TenantTx,
  sent: readonly SentReply[],
): Promise<Set<number>> {
  const chats = sent.map(({ chat }) => chat);
  const delivered = sent.map(({ chat: { tenantId, botId }, conversationId, replyId, platformMessageId }) => ({
    tenantId,
    botId,
    conversationId,
    replyId,
    state: 'sent' as const,
    platformMessageIds: platformMessageId === null ? [] : [platformMessageId],
    isUncertain: false,
  }));
  const [, , empty] = await Promise.all([
    requireHeld(tx, chats),
    saveSentReplies(tx, sent),
    releaseEmptyChats(tx, chats),
    outbox.emitAll(tx, replyDelivered, delivered),
  ]);
  return empty;
}
