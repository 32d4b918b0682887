import type { StaffPresence } from '@botyard/contracts/events/chat-hints';
import { presenceLastsMs } from '@botyard/contracts/http/interactions-presence';
import { liveEvents } from '@botyard/contracts/http/live';
import { LRUCache } from 'lru-cache';
import type { Happening } from './happenings.ts';

interface Presence {
  tenantId: string;
  userId: string;
  happening: Happening;
}

/** The limit for all tenants together. The pace of calls limits the share of one tenant. */
const maxPresences = 10_000;

/** The staff who are at chats now, for listeners that connect later. It is kept in memory only. */
export class PresentStaff {
  readonly #presences = new LRUCache<string, Presence>({ max: maxPresences, ttl: presenceLastsMs });

  /** Remembers the presence, and returns it in the form for listeners. */
  record({ tenantId, botId, chatId, userId, name, state }: StaffPresence): Presence {
    const data = liveEvents['chat.presence'].parse({ chatId, userId, name, state });
    const happening: Happening = { name: 'chat.presence', json: JSON.stringify(data), botId };
    const presence = { tenantId, userId, happening };
    const key = `${tenantId} ${chatId} ${userId}`;
    if (state === 'gone') this.#presences.delete(key);
    else this.#presences.set(key, presence);
    return presence;
  }

  of(tenantId: string): Presence[] {
    return [...this.#presences.values()].filter((presence) => presence.tenantId === tenantId);
  }
}
