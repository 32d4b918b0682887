import { LRUCache } from 'lru-cache';
import type { TypingPlace } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { accessOf } from './access.ts';
import { connector } from './connection.ts';
import { findPerson } from './send-message.ts';

/** The platform shows it for 25 s, and ends it with the answer. Within that time another call shows nothing. */
const shownForMs = 26_000;

/** Shows that an answer to a person's newest message is being written, which also marks that message as read. */
export class TypingMarks {
  readonly #deps: Pick<Deps, 'endpoints' | 'graph' | 'database'>;
  readonly #shown = new LRUCache<string, true>({ max: 10_000, ttl: shownForMs });

  constructor(deps: Pick<Deps, 'endpoints' | 'graph' | 'database'>) {
    this.#deps = deps;
  }

  async show(botId: string, { platformChatId }: TypingPlace): Promise<void> {
    const { endpoints, graph, database } = this.#deps;
    const endpoint = await endpoints.find(connector, botId);
    if (!endpoint) return;
    const person = await findPerson({ database }, endpoint, platformChatId);
    const messageId = person?.lastMessageId;
    // It is asked for every few seconds. A call that changes nothing would use up the number's pace.
    if (!messageId || this.#shown.has(messageId)) return;
    this.#shown.set(messageId, true);
    await graph.sendTyping(accessOf(endpoint), endpoint.phoneNumberId, messageId);
  }
}
