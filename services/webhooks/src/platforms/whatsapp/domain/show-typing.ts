import { withTenant } from '@botyard/shared/db/database';
import type { TypingPlace } from '../../platform.ts';
import type { Deps } from '../deps.ts';
import { listPeople } from '../store/people.ts';
import { accessOf } from './access.ts';
import { connector } from './connection.ts';
import { KnownPeople } from './known-people.ts';

/** The platform shows it for 25 s, and ends it with the answer. Within that time another call shows nothing. */
const shownForMs = 26_000;
const maxShown = 10_000;

/** Shows that an answer to a person's newest message is being written, which also marks that message as read. */
export class TypingMarks {
  readonly #deps: Pick<Deps, 'endpoints' | 'graph' | 'database'>;
  readonly #shownAt = new Map<string, number>();

  constructor(deps: Pick<Deps, 'endpoints' | 'graph' | 'database'>) {
    this.#deps = deps;
  }

  async show(botId: string, { platformChatId }: TypingPlace): Promise<void> {
    const { endpoints, graph, database } = this.#deps;
    const endpoint = await endpoints.find(connector, botId);
    if (!endpoint) return;
    const rows = await withTenant(database, [endpoint.tenantId], (tx) =>
      listPeople(tx, endpoint, [platformChatId]),
    );
    const personId = new KnownPeople(rows, new Date()).find({ userId: platformChatId });
    const messageId = rows.find((row) => row.personId === personId)?.lastMessageId;
    if (!messageId || !this.#isDue(messageId)) return;
    await graph.sendTyping(accessOf(endpoint), endpoint.phoneNumberId, messageId);
  }

  /** It is asked for every few seconds. A call that changes nothing would use up the number's pace. */
  #isDue(messageId: string): boolean {
    const now = performance.now();
    const isShown = now - (this.#shownAt.get(messageId) ?? Number.NEGATIVE_INFINITY) < shownForMs;
    if (isShown) return false;
    if (this.#shownAt.size >= maxShown) this.#shownAt.clear();
    this.#shownAt.set(messageId, now);
    return true;
  }
}
