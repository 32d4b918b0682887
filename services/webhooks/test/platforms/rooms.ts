import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { AdapterContext } from '../../src/platforms/adapter.ts';
import type { ReadDelivery, ReadMessage } from '../../src/platforms/domain/read-delivery.ts';
import type { Connector, Platform, SendResult, Verdict } from '../../src/platforms/platform.ts';

const signatureHeader = 'x-rooms-signature';

const signatureOf = (hook: string, body: Uint8Array | string): string =>
  createHmac('sha256', hook).update(body).digest('hex');

/** Something that happened in a room. A line there without `mention` addresses nobody, unless the room is private. */
const Entry = z.object({
  id: z.string(),
  room: z.string(),
  who: z.string().default('anna'),
  line: z.string().default(''),
  kind: z.enum(['private', 'group']).default('private'),
  thread: z.string().optional(),
  mention: z.boolean().optional(),
  /** The number of the line, where it is delivered in several ways. */
  lineId: z.string().optional(),
  wasRoom: z.string().optional(),
});
const Entries = z.array(z.union([Entry, z.object({ unknown: z.string() })]));
export type RoomEntry = z.input<typeof Entry>;

function toDelivery(entry: z.output<typeof Entries>[number]): ReadDelivery {
  if ('unknown' in entry) return { malformed: entry.unknown };
  const { id: eventId, room, who, line, kind, thread, mention, lineId, wasRoom } = entry;
  if (wasRoom) return { eventId, migration: { fromChatId: wasRoom, toChatId: room } };
  const place = { platformChatId: room, kind, title: who };
  const message: ReadMessage = {
    chat: thread ? { ...place, threadId: thread, threadKind: 'thread' } : place,
    sender: { platformUserId: who, name: who },
    addressedBy: mention ? 'mention' : undefined,
    platformMessageId: lineId ?? eventId,
    text: line,
    content: 'text',
    sentAt: new Date(0).toISOString(),
  };
  return { eventId, alsoKnownAs: lineId ? [`line:${lineId}`] : [], message };
}

const answerTo = (challenge: string | null): Verdict =>
  challenge === null
    ? { outcome: 'refused', reason: 'no challenge' }
    : { outcome: 'answered', status: 200, contentType: 'text/plain', body: challenge };

/** The body of entries, and the header that shows its sender. */
export function signedBody(hook: string, entries: unknown) {
  const body = JSON.stringify(entries);
  return { body, headers: { [signatureHeader]: signatureOf(hook, body) } };
}

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
      maxBytes: 8000,
      verifiedBy: 'body',
      methods: ['GET', 'POST'],
      verify: ({ method, url, headers, rawBody }, connection) => {
        if (!connection) return { outcome: 'refused', reason: 'no app' };
        const { searchParams } = new URL(url, 'http://rooms');
        if (method === 'GET') return answerTo(searchParams.get('challenge'));
        return headers[signatureHeader] === signatureOf(connection.hook, rawBody)
          ? { outcome: 'verified' }
          : { outcome: 'refused', reason: 'wrong signature' };
      },
      read: async (bytes) => {
        const entries = Entries.safeParse(JSON.parse(String(bytes)));
        return entries.success ? entries.data.map(toDelivery) : null;
      },
      answer: () => ({ contentType: 'text/plain', body: 'thanks' }),
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
