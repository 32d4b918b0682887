import { randomUUID } from 'node:crypto';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { firstSample } from '@botyard/testing/samples';
import { callOk, type Platform } from './whole-platform.ts';

/** Bots with chats in the agents service, which has to be running: messages are published like by webhooks. */
export class ChatSimulator {
  readonly #platform: Platform;
  readonly #seqs = new Map<string, number>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async createBot({ tenantId, admin }: Platform['acme']): Promise<{ tenantId: string; botId: string }> {
    const { tenancy } = this.#platform;
    const body = { name: 'Support' };
    const { botId } = await callOk(tenancy, 'POST', `/api/bots/${tenantId}/bots`, { as: admin, body });
    return { tenantId, botId };
  }

  /** One message in the next place of a conversation, taken in when this resolves. Returns the chat's identifier. */
  async say(
    bot: { tenantId: string; botId: string },
    { conversationId = randomUUID(), ...change }: Partial<InboundMessage> = {},
  ): Promise<{ chatId: string; conversationId: string }> {
    const { harness } = this.#platform;
    const seq = (this.#seqs.get(conversationId) ?? 0) + 1;
    this.#seqs.set(conversationId, seq);
    const receivedAt = new Date().toISOString();
    const message = {
      ...firstSample(messageReceived),
      ...bot,
      conversationId,
      seq,
      receivedAt,
    };
    await harness.publish(messageReceived, { ...message, ...change });
    await harness.settled('agents', 'webhooks');
    const [row] = await harness.asOwner<{ chat_id: string }>(
      'select chat_id from agents.conversations where conversation_id = $1',
      [conversationId],
    );
    if (!row) throw new Error('the message made no chat');
    return { chatId: row.chat_id, conversationId };
  }
}
