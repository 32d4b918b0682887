import { z } from 'zod';
import type { AdapterContext } from '../../src/platforms/adapter.ts';
import type { ReadMessage } from '../../src/platforms/domain/read-delivery.ts';
import type { Connector, Platform, SendResult } from '../../src/platforms/platform.ts';

/**
 * A platform that is nobody's: rooms with words for identifiers, lines of 40 capitals, a hook instead of a token, and
 * limits of its own. It stands in the registry under a name that the contracts have.
 */
export function createRooms() {
  const said: { room: string; line: string; id: string; hook: string }[] = [];
  const answers = new Map<string, SendResult>();
  const renamed = new Map<string, string>();
  const registered = new Map<string, string>();
  const connector: Connector<{ hook: string }, { hook: string }> = {
    name: 'messenger',
    credentials: z.object({ hook: z.string() }),
    connect: ({ hook }) => ({ hook }),
  };
  const say = (hook: string, room: string, line: string): SendResult => {
    const id = `line-${said.length + 1}`;
    said.push({ room, line, id, hook });
    return { outcome: 'sent', platformMessageId: id };
  };
  const createAdapter = ({
    endpoints,
  }: AdapterContext): Platform<{ line: string }, { hook: string }, { hook: string }> => ({
    name: connector.name,
    credentials: connector.credentials,
    slots: 8,
    paces: {
      bot: { intervalMs: 1, burst: 100 },
      chatBurst: 2,
      chatIntervalMs: (room) => (room.startsWith('slow:') ? 3_600_000 : 1),
    },
    format: async ({ markdown }) =>
      (markdown.match(/.{1,40}/gsu) ?? []).map((line) => ({ line: line.toUpperCase() })),
    send: async ({ botId, platformChatId, payload, mayCall }) => {
      const endpoint = await endpoints.find(connector, botId);
      if (!endpoint) return { outcome: 'refused', reason: 'nobody has its hook' };
      if (!(await mayCall())) return undefined;
      const answer = answers.get(platformChatId);
      answers.delete(platformChatId);
      if (answer) return answer;
      const movedTo = renamed.get(platformChatId);
      return { ...say(endpoint.hook, movedTo ?? platformChatId, payload.line), movedTo };
    },
    retryInMs: () => 1,
    listRecipients: async (_tx, replies) =>
      new Map(replies.map(({ replyId, place }) => [replyId, place.platformChatId])),
    isRenaming: (from, to) => from.startsWith('room:') && to.startsWith('hall:'),
    inbound: {
      connector,
      maxBytes: 1000,
      verifiedBy: 'headers',
      verify: ({ headers }, connection) =>
        headers['x-rooms-hook'] === connection?.hook
          ? { outcome: 'verified' }
          : { outcome: 'refused', reason: 'wrong hook' },
      read: async (bytes) => {
        const { id, room, who, line, wasRoom } = z
          .record(z.string(), z.string())
          .parse(JSON.parse(String(bytes)));
        if (wasRoom) return [{ eventId: id!, migration: { fromChatId: wasRoom, toChatId: room! } }];
        const message: ReadMessage = {
          chat: { platformChatId: room!, kind: 'private', title: who! },
          sender: { platformUserId: who!, name: who! },
          platformMessageId: id!,
          text: line!,
          content: 'text',
          sentAt: new Date(0).toISOString(),
        };
        return [{ eventId: id!, message }];
      },
    },
    registrar: {
      register: async (url, { hook }) => {
        registered.set(hook, url);
        return { state: 'registered', fingerprint: url, pendingUpdates: 0 };
      },
      remove: async () => ({ isGone: true, retryInMs: null }),
      isSameAccount: (one, other) => one.hook === other.hook,
    },
  });
  const inRoom = (wanted: string) => said.filter(({ room }) => room === wanted);
  return {
    createAdapter,
    registered,
    /** Sets the result of the next line for a room, which is not sent there. */
    answerNext: (room: string, answer: SendResult) => void answers.set(room, answer),
    rename: (from: string, to: string) => void renamed.set(from, to),
    linesIn: (room: string) => inRoom(room).map(({ line }) => line),
    idsIn: (room: string) => inRoom(room).map(({ id }) => id),
    get hooksUsed() {
      return new Set(said.map(({ hook }) => hook));
    },
  };
}
