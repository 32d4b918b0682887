import type { Identity } from '@botyard/contracts/identity';
import { personIdOfUser } from '@botyard/shared/auth/person-id';
import type { Answer } from '@botyard/testing/test-call';
import { type AgentsServices, Chat, type TestBot } from '../agents-services.ts';

/** A chat as its admins see and handle it. */
export class HandledChat extends Chat {
  readonly #services: AgentsServices;

  constructor(services: AgentsServices, bot: TestBot) {
    super(services, bot);
    this.#services = services;
  }

  /** With a first message that is answered. */
  static async begun(services: AgentsServices, bot: TestBot): Promise<HandledChat> {
    const chat = new HandledChat(services, bot);
    await chat.say('hello');
    await chat.answers(1);
    await chat.isIdle();
    return chat;
  }

  async path(end = ''): Promise<string> {
    const [row] = await this.#services.harness.asOwner<{ chat_id: string }>(
      'select chat_id from agents.conversations where conversation_id = $1',
      [this.conversationId],
    );
    return `/api/interactions/chats/${row!.chat_id}${end}`;
  }

  async call(method: string, end: string, body?: object, as?: Identity): Promise<Answer> {
    const { agents, acme } = this.#services;
    const answer = { as: as ?? acme.admin, ...(body ? { body } : {}) };
    return await agents.call(method, await this.path(end), answer);
  }

  shown = async () => (await this.call('GET', '')).body;
  messages = async () => (await this.call('GET', '/messages')).body;
  takeOver = (body: object = {}, as?: Identity) => this.call('POST', '/takeover', body, as);
  handBack = () => this.call('POST', '/handback');
  write = (text: string, as?: Identity) => this.call('POST', '/messages', { text }, as);

  /** As if the time had passed after which the bot takes it back; nobody has announced that. */
  async timePasses(): Promise<void> {
    await this.#services.harness.asOwner(
      `update agents.conversations set handback_at = now() where conversation_id = $1`,
      [this.conversationId],
    );
  }

  /** Everything that came in is stored, and nothing waits or runs. */
  async isSettled(count: number): Promise<void> {
    await this.#services.harness.settled('agents', 'webhooks');
    await this.isIdle();
    const written = await this.written();
    if (written.length !== count) throw new Error(`${written.length} messages came in, not ${count}`);
  }
}

export async function userIdOf({ tenancy }: AgentsServices, as: Identity): Promise<string> {
  return (await tenancy.call('GET', '/api/current-user', { as })).body.userId;
}

/** The identifier by which an erasure names a user as staff. */
export const staffPersonId = async (services: AgentsServices, as: Identity): Promise<string> =>
  personIdOfUser(services.acme.tenantId, await userIdOf(services, as));
