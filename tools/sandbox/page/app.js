/** The messenger page: opens chats, applies the sandbox's events and handles keys. */
import { chatItems } from './chat-list.js';
import { fill, replyTo, resetCompose, say, startCompose, startEdit } from './compose.js';
import { byId, element, toast } from './dom.js';
import { openChatMenu, setMember, showHead, showMe, startTheme } from './head.js';
import { showHints } from './hints.js';
import { messageItems } from './message-view.js';
import {
  chatPath,
  getJson,
  isInOpenTopic,
  isOpen,
  keyOf,
  loadChats,
  loadHistory,
  openBot,
  openChat,
  places,
  postJson,
  shownEntries,
  state,
  takeEntry,
} from './state.js';

const presses = new Map();
const reconnectMs = 1000;
let typingTimer;

// --- the open chat, which is in the address so that Back and Reload work --------------------------------------------

function placeInAddress() {
  const [, botId, chatId, threadId] = /^#\/(\d+)\/(-?\d+)(?:\/(\d+))?$/.exec(location.hash) ?? [];
  return botId && { botId: Number(botId), chatId, threadId: threadId ? Number(threadId) : undefined };
}

function goTo(place) {
  const thread = place.threadId === undefined ? '' : `/${place.threadId}`;
  location.hash = `#/${place.botId}/${place.chatId}${thread}`;
}

/** Opens the chat of the address. If the address names none, a wide screen opens the first one. */
async function openPlace() {
  const shownPlaces = places();
  const addressedPlace = placeInAddress();
  const matchingPlace = addressedPlace && shownPlaces.find((place) => keyOf(place) === keyOf(addressedPlace));
  // The group of the address may have become a supergroup, whose number has another prefix.
  const moved =
    addressedPlace &&
    shownPlaces.find((place) => Number(place.chatId) === Number(addressedPlace.chatId) - 1e12);
  document.body.dataset.view = (matchingPlace ?? moved) ? 'chat' : 'list';
  const next = matchingPlace ?? moved ?? shownPlaces[0];
  const isSame = next && state.open && keyOf(next) === keyOf(state.open);
  if (isSame) return;
  const isSameChat = next && state.open && isOpen(next);
  state.open = next;
  if (next === undefined) return showAll();
  if (!isSameChat) state.entries = [];
  state.unread.delete(keyOf(next));
  resetCompose();
  showAll();
  await refresh();
  if (matchingPlace && matchMedia('(hover: hover)').matches) byId('text').focus();
}

async function refresh() {
  if (state.open === undefined) return;
  const typing = await loadHistory();
  if (typing === undefined) return;
  showMessages({ isForced: true });
  showHead();
  showTyping(isInOpenTopic(typing) ? typing.forMs : 0);
}

async function reload() {
  await loadChats();
  showList();
  await openPlace();
  showHead();
}

// --- rendering -------------------------------------------------------------------------------------------------------

function showAll() {
  showList();
  showHead();
  showMessages({ isForced: true });
  showTyping(0);
}

function showList() {
  byId('chats').replaceChildren(...chatItems(goTo));
  const hasBots = state.bots.length > 0;
  byId('no-bots').hidden = hasBots;
  byId('empty').hidden = hasBots;
  byId('conversation').hidden = !hasBots;
  document.body.classList.toggle('without-bots', !hasBots);
}

function showMessages({ isForced = false } = {}) {
  const chat = openChat();
  if (chat === undefined) return;
  const scroll = byId('scroll');
  scroll.classList.toggle('in-group', chat.kind !== 'private');
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
  const focused = document.activeElement?.closest('.message')?.dataset.messageId;
  const items = messageItems(shownEntries(), {
    me: state.me,
    bot: openBot(),
    isGroup: chat.kind !== 'private',
    isMember: chat.isMember,
    find: (messageId) => state.entries.find((entry) => entry.messageId === messageId),
    onReply: replyTo,
    onEdit: startEdit,
    onPress: press,
    onJump: jumpTo,
  });
  byId('messages').replaceChildren(...items);
  if (items.length === 0) byId('messages').append(element('li', 'line', 'No messages yet. Say hello!'));
  const last = byId('messages').querySelector('.message:last-of-type');
  if (last) last.tabIndex = 0;
  if (focused) document.querySelector(`[data-message-id="${CSS.escape(focused)}"]`)?.focus();
  if (isForced || isAtEnd) scroll.scrollTop = scroll.scrollHeight;
  showHints({ value: byId('text').value, isNew: items.length === 0, say, fill });
}

function showTyping(forMs) {
  clearTimeout(typingTimer);
  byId('typing').hidden = !(forMs > 0);
  if (!(forMs > 0)) return;
  typingTimer = setTimeout(() => showTyping(0), forMs);
  const scroll = byId('scroll');
  if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 160)
    scroll.scrollTop = scroll.scrollHeight;
}

function showOffline() {
  byId('offline').hidden = false;
}

function jumpTo(messageId) {
  const item = document.querySelector(`[data-message-id="${Number(messageId)}"]`);
  item?.scrollIntoView({ block: 'center' });
  item?.focus();
}

async function press(entry, data) {
  try {
    const { queryId } = await postJson(chatPath(`messages/${entry.messageId}/press`), {
      data,
      personId: state.me.id,
    });
    presses.set(queryId, data);
    toast('Pressed. Waiting for the bot …');
  } catch (error) {
    if (error.isRefusal) toast(error.message);
    else showOffline();
  }
}

// --- events ----------------------------------------------------------------------------------------------------------

function takeMessage(event) {
  const place = { ...event, threadId: event.entry.threadId };
  const isHere = takeEntry(event) && isInOpenTopic(event.entry);
  const isKnown = state.chats.get(event.botId)?.some((chat) => chat.chatId === event.chatId);
  if (isHere) {
    if (event.entry.direction === 'out') showTyping(0);
    showMessages({ isForced: event.entry.fromId === state.me.id });
    showHead();
  } else if (isKnown && event.entry.fromId !== state.me.id && !event.entry.isEvent) {
    state.unread.set(keyOf(place), (state.unread.get(keyOf(place)) ?? 0) + 1);
  }
  showList();
}

function takeChange(event) {
  if (!takeEntry(event)) return;
  showMessages();
  showHead();
  showList();
}

function takeCallback({ queryId, text }) {
  if (presses.delete(queryId)) toast(text === '' ? 'The bot acknowledged the button.' : text);
}

let events;

/** Listens to events. The browser reconnects by itself, except after a response that it treats as final. */
function listen() {
  events = new EventSource('/api/events');
  const on = (type, take) => events.addEventListener(type, (event) => take(JSON.parse(event.data)));
  events.addEventListener('open', () => {
    byId('offline').hidden = true;
    reload().then(refresh).catch(showOffline);
  });
  events.addEventListener('error', () => {
    showOffline();
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, reconnectMs);
  });
  on('bot', () => reload().catch(showOffline));
  on('chat', () => reload().catch(showOffline));
  on('message', takeMessage);
  on('edit', takeChange);
  on('delivery', takeChange);
  on('callback', takeCallback);
  on('typing', (typing) => {
    if (isOpen(typing) && isInOpenTopic(typing)) showTyping(typing.forMs);
  });
}

// --- keys and buttons ------------------------------------------------------------------------------------------------

function onMessageKey(event) {
  const item = event.target.closest?.('.message');
  if (!item || event.target !== item || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = [...byId('messages').querySelectorAll('.message')];
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const label = { r: 'Reply (R)', e: 'Edit (E)' }[event.key.toLowerCase()];
  if (step === undefined && label === undefined) return;
  event.preventDefault();
  if (label) item.querySelector(`[aria-label="${label}"]`)?.click();
  else (all[all.indexOf(item) + step] ?? byId('text')).focus();
}

function onPageKey(event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!event.altKey || step === undefined || state.open === undefined) return;
  event.preventDefault();
  const all = places();
  const at = all.findIndex((place) => keyOf(place) === keyOf(state.open));
  goTo(all.at((at + step) % all.length));
}

function choose(person) {
  const wasPrivate = openChat()?.kind === 'private';
  const { open } = state;
  state.me = person;
  sessionStorage.setItem('me', String(person.id));
  state.unread.clear();
  showMe(choose);
  state.open = undefined;
  if (wasPrivate) goTo({ ...open, chatId: String(person.id) });
  reload().catch(showOffline);
}

byId('messages').addEventListener('keydown', onMessageKey);
document.addEventListener('keydown', onPageKey);
addEventListener('hashchange', () => openPlace().catch(showOffline));
byId('back').addEventListener('click', () => {
  location.hash = '';
});
byId('more').addEventListener('click', () => openChatMenu((place) => reload().then(() => goTo(place))));
byId('unblock').addEventListener('click', () => void setMember(true));
startCompose(showOffline);
startTheme();

async function start() {
  const { people, showcases } = await getJson('/api/status');
  Object.assign(state, { people, showcases });
  state.me = people.find(({ id }) => String(id) === sessionStorage.getItem('me')) ?? people[0];
  byId('try').hidden = showcases.length === 0;
  showMe(choose);
  listen();
}

start().catch(() => {
  showOffline();
  setTimeout(() => location.reload(), reconnectMs * 3);
});
