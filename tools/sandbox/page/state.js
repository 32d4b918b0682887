/** The state of the page, and how it is loaded. */

export const state = {
  people: [],
  me: undefined,
  showcases: [],
  bots: [],
  /** The selected person's chats by bot. */
  chats: new Map(),
  /** The open chat: bot, chat and forum topic. */
  open: undefined,
  /** All messages of the open chat, of every topic. */
  entries: [],
  /** Entries from events that arrived while the history of the open chat was loading. */
  fresh: new Map(),
  unread: new Map(),
  drafts: new Map(),
};

export const keyOf = ({ botId, chatId, threadId }) => `${botId}/${chatId}/${threadId ?? ''}`;
export const openBot = () => state.bots.find((bot) => bot.botId === state.open?.botId);
export const openChat = () =>
  state.chats.get(state.open?.botId)?.find((chat) => chat.chatId === state.open?.chatId);
export const isOpen = ({ botId, chatId }) => state.open?.botId === botId && state.open.chatId === chatId;
export const isInOpenTopic = ({ threadId }) => state.open?.threadId === threadId;

/** Returns the messages of the open topic. */
export const shownEntries = () => state.entries.filter(isInOpenTopic);

/** Returns all chats and topics in the order of the list. */
export function places() {
  return state.bots.flatMap(({ botId }) =>
    (state.chats.get(botId) ?? []).flatMap(({ chatId, topics }) => [
      { botId, chatId, threadId: undefined },
      ...topics.map(({ threadId }) => ({ botId, chatId, threadId })),
    ]),
  );
}

export async function getJson(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} returned ${response.status}`);
  return response.json();
}

/** Posts JSON. @throws an error with `isRefusal` and the sandbox's message, or another error without a response. */
export async function postJson(path, body = {}) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw Object.assign(new Error(answer.error ?? `The sandbox returned ${response.status}`), {
    isRefusal: true,
  });
}

/** Returns an address of the open chat in the sandbox's API. */
export const chatPath = (rest) => `/api/bots/${state.open.botId}/chats/${state.open.chatId}/${rest}`;

export async function loadChats() {
  const bots = await getJson('/api/bots');
  // A bot that is no longer connected stays in the list while one of its chats is open.
  state.bots = bots.filter((bot) => bot.isConnected || bot.botId === state.open?.botId);
  const lists = await Promise.all(
    state.bots.map(({ botId }) => getJson(`/api/bots/${botId}/chats?as=${state.me.id}`)),
  );
  // The private chat comes first, forums with their topics last.
  const rank = ({ kind, topics }) => (kind === 'private' ? 0 : topics.length === 0 ? 1 : 2);
  const inOrder = (list) => list.sort((a, b) => rank(a) - rank(b));
  state.chats = new Map(state.bots.map(({ botId }, index) => [botId, inOrder(lists[index])]));
}

/** Loads the history. Resolves to the typing state, or to `undefined` if another chat has been opened since. */
export async function loadHistory() {
  const { open } = state;
  const fresh = new Map();
  state.fresh = fresh;
  const { messages, typingForMs, typingThreadId } = await getJson(chatPath('messages'));
  if (state.open !== open || state.fresh !== fresh) return undefined;
  // Events that arrived during the request are newer than the history.
  const entriesById = new Map([...messages.map((entry) => [entry.messageId, entry]), ...fresh]);
  state.entries = [...entriesById.values()];
  return { forMs: typingForMs, threadId: typingThreadId ?? undefined };
}

/** Stores a new or changed message. Returns true if it belongs to the open chat. */
export function takeEntry({ botId, chatId, entry }) {
  const chat = state.chats.get(botId)?.find((one) => one.chatId === chatId);
  if (chat !== undefined) {
    const others = chat.last.filter((one) => one.threadId !== entry.threadId);
    const before = chat.last.find((one) => one.threadId === entry.threadId);
    chat.last = [...others, before?.messageId > entry.messageId ? before : entry];
  }
  if (!isOpen({ botId, chatId })) return false;
  state.fresh.set(entry.messageId, entry);
  const at = state.entries.findIndex((one) => one.messageId === entry.messageId);
  if (at === -1) state.entries.push(entry);
  else state.entries[at] = entry;
  return true;
}
