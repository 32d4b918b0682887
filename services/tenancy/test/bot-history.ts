import { randomUUID } from 'node:crypto';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';

/** A chat's past, written as the agents service would have: at moments that a test chooses. */
export class BotHistory {
  readonly #harness: ServiceHarness;
  readonly #bot: { tenantId: string; botId: string };
  readonly #conversationId = randomUUID();
  #seq = 0;

  constructor(harness: ServiceHarness, bot: { tenantId: string; botId: string }) {
    this.#harness = harness;
    this.#bot = bot;
  }

  async open(): Promise<this> {
    const { tenantId, botId } = this.#bot;
    await this.#harness.asOwner(
      `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
       values ($1, $2, $3, $4, $3, 'messenger', '{"platformChatId": "1", "kind": "group", "title": "T"}')`,
      [tenantId, this.#conversationId, uuidv7(), botId],
    );
    return this;
  }

  /** Inserts a person's message, which may have been stored later than it arrived. Returns its identifier. */
  async addMessage(at: string, personId: string, { storedAt = at } = {}): Promise<string> {
    return await this.#insert('in', { receivedAt: at, createdAt: storedAt, personId, status: 'answered' });
  }

  /** Inserts the reply to a message, with the turn that led to it. */
  async addReply(
    at: string,
    messageIds: string[],
    { outcome = 'answered', status = 'sent' } = {},
  ): Promise<void> {
    const replyId = await this.#insert('out', { receivedAt: at, createdAt: at, personId: null, status });
    await this.#harness.asOwner(
      `insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, outcome, key_source,
         context_messages, input_tokens, output_tokens, is_estimated, duration_ms, created_at)
       values ($1, $2, $3, $4, $5, $6, 'platform', 0, 0, 0, false, 1, $7)`,
      [
        this.#bot.tenantId,
        uuidv7({ msecs: Date.parse(at) }),
        this.#conversationId,
        messageIds,
        replyId,
        outcome,
        at,
      ],
    );
  }

  async #insert(
    direction: 'in' | 'out',
    row: { receivedAt: string; createdAt: string; personId: string | null; status: string },
  ): Promise<string> {
    const messageId = uuidv7({ msecs: Date.parse(row.createdAt) });
    this.#seq += 1;
    await this.#harness.asOwner(
      `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, sender, status,
         received_at, created_at)
       values ($1, $2, $3, $4, $5, 'x', 'text', $6, $7, $8, $9)`,
      [
        this.#bot.tenantId,
        messageId,
        this.#conversationId,
        direction,
        this.#seq,
        row.personId && JSON.stringify({ platformUserId: row.personId, name: 'P' }),
        row.status,
        row.receivedAt,
        row.createdAt,
      ],
    );
    return messageId;
  }
}
