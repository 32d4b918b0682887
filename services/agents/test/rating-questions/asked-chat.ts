import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { messageReceived, replyDelivered } from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { firstSample } from '@botyard/testing/samples';
import type { AgentsServices, TestBot } from '../agents-services.ts';
import { HandledChat } from '../takeover/chats.ts';

let lastUserId = 4_000_000;

function newUserId(): string {
  lastUserId += 1;
  return String(lastUserId);
}

/** A private chat with a bot that asks if its answers helped, of a person of its own. */
export class AskedChat extends HandledChat {
  readonly #services: AgentsServices;
  readonly #bot: TestBot;
  readonly userId: string;

  constructor(services: AgentsServices, bot: TestBot, userId = newUserId()) {
    super(services, bot);
    this.#services = services;
    this.#bot = bot;
    this.userId = userId;
  }

  /** With an answer that has arrived. */
  static async answered(services: AgentsServices, bot: TestBot, userId?: string): Promise<AskedChat> {
    const chat = new AskedChat(services, bot, userId);
    await chat.asks('hello');
    return chat;
  }

  /** With a question if its answer helped. */
  static async asked(services: AgentsServices, bot: TestBot): Promise<AskedChat> {
    const chat = await AskedChat.answered(services, bot);
    await chat.tenMinutesPass();
    await chat.answers(2);
    return chat;
  }

  override message(text: string, change: Partial<InboundMessage> = {}) {
    const { sender, chat } = firstSample(messageReceived);
    return super.message(text, {
      sender: { ...sender, platformUserId: this.userId },
      chat: { ...chat, kind: 'private', platformChatId: this.userId },
      ...change,
    });
  }

  /** A question to the agent, whose answer arrives. */
  async asks(text: string, change: Partial<InboundMessage> = {}): Promise<void> {
    const before = (await this.replies()).length;
    await this.say(text, change);
    await this.answers(before + 1);
    await this.arrives();
  }

  /** The platform has taken the newest reply. */
  async arrives(state: 'sent' | 'failed' = 'sent'): Promise<void> {
    await this.isIdle();
    const { tenantId, botId } = this.#bot;
    const replyId = (await this.replies()).at(-1)!.message_id;
    await this.#services.harness.publish(replyDelivered, {
      tenantId,
      botId,
      conversationId: this.conversationId,
      replyId,
      state,
      platformMessageIds: ['1'],
      isUncertain: false,
    });
    await eventually('the reply has its state', async () => (await this.replies()).at(-1)!.status === state);
  }

  /** The rows of people to ask, and of those asked. */
  rows = () =>
    this.#services.harness.asOwner<{ reply_id: string; asked_at: Date | null; waits_s: number }>(
      `select reply_id, asked_at, extract(epoch from ready_at - now())::float8 as waits_s from agents.rating_questions
       where chat_id = (select chat_id from agents.conversations where conversation_id = $1)`,
      [this.conversationId],
    );

  /** As if so much time had passed for what waits. Resolves when it was asked or dropped. */
  async tenMinutesPass(later = '0 minutes'): Promise<void> {
    await this.#services.harness.asOwner(
      `update agents.rating_questions set ready_at = now() - $2::interval, lease_until = null
       where chat_id = (select chat_id from agents.conversations where conversation_id = $1)`,
      [this.conversationId, later],
    );
    await eventually('it is asked or dropped', async () =>
      (await this.rows()).every(({ asked_at, waits_s }) => asked_at !== null && waits_s > 60),
    );
  }

  async texts(): Promise<string[]> {
    return (await this.replies()).map(({ text }) => text);
  }

  async ratings(): Promise<(string | null)[]> {
    const rows = await this.#services.harness.asOwner<{ rating: string | null }>(
      `select rating from agents.messages where conversation_id = $1 and agent_id is not null and direction = 'out' order by seq`,
      [this.conversationId],
    );
    return rows.map(({ rating }) => rating);
  }
}
