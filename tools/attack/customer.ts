import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@botyard/testing/eventually';
import type { Sent } from '@botyard/testing/messenger/types';
import { sayTo } from '../../services/webhooks/test/chat-updates.ts';
import type { DemoTenant } from '../../test/e2e/demo-tenant.ts';
import type { Installation } from './installation.ts';

/** The longest wait for an answer; beyond it the message counts as unanswered. */
const answerWithinMs = 30_000;

/** A person in a private chat of the messenger with a tenant's bot. */
export class Customer {
  readonly #system: Installation['system'];
  readonly #demo: DemoTenant;
  readonly #chatId = randomInt(1_000_000, 2 ** 40);
  readonly #received = new Set<Sent>();

  constructor({ system }: Pick<Installation, 'system'>, demo: DemoTenant) {
    this.#system = system;
    this.#demo = demo;
  }

  /** Says something, and resolves with the next answer. @throws if there is none in time. */
  async ask(text: string): Promise<void> {
    await this.say(text);
    await this.nextAnswer();
  }

  async say(text: string): Promise<void> {
    const update = sayTo('acme_support_bot', this.#chatId, text);
    const until = performance.now() + answerWithinMs;
    // The platform repeats a delivery that was not accepted.
    while ((await this.#demo.deliver(update).catch(() => 0)) !== 200) {
      if (performance.now() > until) throw new Error('a message was not accepted');
      await pause(100);
    }
  }

  async nextAnswer(): Promise<void> {
    const isNext = (sent: Sent) => sent.chatId === String(this.#chatId) && !this.#received.has(sent);
    const { sent } = this.#system.messenger;
    this.#received.add(await sent.waitFor(isNext, { timeoutMs: answerWithinMs }));
  }

  /** The chat's identifier in the API, by a text that was said in it alone. */
  async idByText(text: string): Promise<string> {
    return await eventually('the chat is known', async () => {
      const rows = await this.#system.asOwner<{ chat_id: string }>(
        `select chat_id from agents.conversations join agents.messages using (conversation_id) where text = '${text}'`,
      );
      return rows[0]?.chat_id;
    });
  }
}
