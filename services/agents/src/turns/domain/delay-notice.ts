import { replyCreated } from '@botyard/contracts/events/agents';
import { platformCapabilities } from '@botyard/contracts/http/platform';
import { withTenant } from '@botyard/shared/db/database';
import type { Say } from '@botyard/words/words';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { SaidRow } from '../../conversations/store/messages.ts';
import type { Deps } from '../deps.ts';
import { insertDelayNotice } from '../store/notices.ts';
import { newestOf, newId, placeOf } from './end-rows.ts';

interface DelayedTurn {
  turn: readonly SaidRow[];
  afterSeconds: number;
  say: Say;
}

type NoticeDeps = Pick<Deps, 'database' | 'outbox' | 'log'>;

/** Notifies a chat once that its answer takes longer than usual. */
export class DelayNotice {
  readonly #deps: NoticeDeps;
  readonly #conversation: ClaimedConversation;
  readonly #turn: readonly SaidRow[];
  readonly #say: Say;
  /** Counted from the turn's first attempt; `undefined` when this chat gets no notice. */
  readonly #afterMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(deps: NoticeDeps, conversation: ClaimedConversation, { turn, afterSeconds, say }: DelayedTurn) {
    this.#deps = deps;
    this.#conversation = conversation;
    this.#turn = turn;
    this.#say = say;
    const { isLive } = platformCapabilities[conversation.platform];
    const isWaitedFor = isLive && turn.some(({ isAddressed }) => isAddressed);
    this.#afterMs = afterSeconds > 0 && isWaitedFor ? afterSeconds * 1000 : undefined;
  }

  start(): void {
    if (this.#afterMs === undefined) return;
    const waitMs = Math.max(0, this.#afterMs - this.#conversation.triedMs);
    this.#timer = setTimeout(() => this.#send(), waitMs);
  }

  /**
   * Prevents further notices. Resolves when a notice in progress is stored, because only then the next reply's position
   * is known.
   */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
  }

  /** For a postponed turn: sends the notice now if it would be due before the next attempt. */
  async endUntil(triedMs: number): Promise<void> {
    if (this.#afterMs !== undefined && triedMs >= this.#afterMs) this.#send();
    await this.end();
  }

  #send(): void {
    this.#sending ??= this.#write().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'could not notify a chat that its answer takes longer');
    });
  }

  async #write(): Promise<void> {
    const { database, outbox } = this.#deps;
    const conversation = this.#conversation;
    const [first] = this.#turn;
    if (!first) return;
    const { tenantId, conversationId, botId, integrationId, place: chat, platform } = conversation;
    const replyId = newId(conversation);
    const text = this.#say('delay');
    const afterSeq = placeOf(conversation, this.#turn);
    await withTenant(database, [tenantId], async (tx) => {
      const notice = { replyId, text, afterSeq, firstMessageId: first.messageId };
      const replySeq = await insertDelayNotice(tx, conversation, notice);
      if (replySeq === undefined) return;
      await outbox.emit(tx, replyCreated, {
        tenantId,
        botId,
        integrationId,
        conversationId,
        platform,
        chat,
        text,
        replyId,
        replySeq,
        askedAt: newestOf(this.#turn).toISOString(),
      });
      tx.afterCommit(() => {
        conversation.nextReplySeq = replySeq + 1;
      });
    });
  }
}
