/** The mail page: opens threads, applies the sandbox's events and handles keys. */
import { avatar, byId, fillMenu, openMenu, toast } from '/dom.js';
import { startTheme } from '/head.js';
import { postJson } from '/state.js';
import { entriesOf, isMine, load, state, take, threads } from './mail-state.js';
import { threadItems } from './thread-list.js';
import { mailItems, participants } from './thread-view.js';
import { showWriting, startWriting } from './write.js';

const reconnectMs = 1000;

// --- the open thread, which is in the address so that Back and Reload work ---------------------------------------------

const threadInAddress = () => /^#\/(t\d+)$/.exec(location.hash)?.[1];
const isWritingInAddress = () => location.hash === '#/new';
const goTo = (threadId) => {
  location.hash = `#/${threadId}`;
};

/** Opens the thread of the address. If the address names none, a wide screen opens the newest one. */
function openThread({ isFocused = true } = {}) {
  const threadIds = threads().map(([first]) => first.threadId);
  const addressedId = threadInAddress();
  const openId = threadIds.includes(addressedId) ? addressedId : undefined;
  document.body.dataset.view = openId || isWritingInAddress() ? 'chat' : 'list';
  state.open = isWritingInAddress() ? undefined : (openId ?? threadIds[0]);
  state.unread.delete(state.open);
  showAll();
  if (!isFocused || !matchMedia('(hover: hover)').matches) return;
  if (isWritingInAddress()) byId('mail-subject').focus();
  else if (openId) byId('mail-text').focus();
}

// --- rendering ---------------------------------------------------------------------------------------------------------

function showAll() {
  showMe();
  showList();
  showThread({ isForced: true });
  showWriting();
}

function showList() {
  byId('threads').replaceChildren(...threadItems(goTo));
  byId('empty').hidden = state.bots.length > 0;
  byId('new-mail').hidden = state.bots.length === 0;
}

function showThread({ isForced = false } = {}) {
  const entries = state.open === undefined ? [] : entriesOf(state.open);
  byId('thread').hidden = entries.length === 0;
  if (entries.length === 0) return;
  byId('subject').textContent = entries[0].subject || '(no subject)';
  byId('participants').textContent = participants(entries);
  const list = byId('mails');
  const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 160;
  const on = {
    onBounce: (entry) => react(entry, 'bounce', 'Bounced: the bot should not write there again.'),
    onAutoReply: (entry) =>
      react(entry, 'auto-reply', 'Sent an automatic reply: the bot should not answer it.'),
    onChange: () => showThread(),
  };
  replaceChanged(list, mailItems(entries, on));
  if (isForced || isAtEnd) list.scrollTop = list.scrollHeight;
}

/** Replaces only changed items, because a reinserted frame reloads. */
function replaceChanged(list, items) {
  while (list.children.length > items.length) list.lastElementChild.remove();
  for (const [index, item] of items.entries()) {
    const shown = list.children[index];
    if (shown === undefined) list.append(item);
    else if (shown.dataset.shows !== item.dataset.shows) shown.replaceWith(item);
  }
}

function showMe() {
  const { me, people } = state;
  byId('me-avatar').replaceChildren(avatar(me.name, me.id));
  byId('me-name').textContent = me.name;
  byId('me-address').textContent = `You write as ${me.address}`;
  const rows = people.map((person) => ({
    text: person.name,
    hint: person.address,
    isChosen: person.id === me.id,
    picture: avatar(person.name, person.id),
    onClick: () => choose(person),
  }));
  byId('me').onclick = () => {
    fillMenu(byId('me-menu'), rows);
    openMenu(byId('me-menu'), byId('me'));
  };
}

function showOffline() {
  byId('offline').hidden = false;
}

// --- events ------------------------------------------------------------------------------------------------------------

async function react(entry, action, message) {
  try {
    await postJson(`/api/mail/${entry.entryId}/${action}`);
    toast(message);
  } catch (error) {
    if (error.isRefusal) toast(error.message);
    else showOffline();
  }
}

function choose(person) {
  state.me = person;
  sessionStorage.setItem('me', String(person.id));
  state.unread.clear();
  openThread({ isFocused: false });
}

function takeEvent({ type, entry }) {
  if (type === 'route') return void reload().catch(showOffline);
  const isNew = take(entry);
  const isOpen = entry.threadId === state.open;
  if (isNew && !isOpen && entry.direction === 'out' && isMine(entry)) state.unread.add(entry.threadId);
  if (isOpen) showThread();
  else if (state.open === undefined && !isWritingInAddress()) openThread({ isFocused: false });
  showList();
}

async function reload() {
  await load();
  openThread({ isFocused: false });
}

/** Listens to events. The browser reconnects by itself, except after a response that it treats as final. */
function listen() {
  const events = new EventSource('/api/events');
  events.addEventListener('open', () => {
    byId('offline').hidden = true;
    reload().catch(showOffline);
  });
  events.addEventListener('error', () => {
    showOffline();
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, reconnectMs);
  });
  events.addEventListener('mailer', (event) => takeEvent(JSON.parse(event.data)));
}

// --- keys and buttons --------------------------------------------------------------------------------------------------

function onPageKey(event) {
  const isInField = event.target.closest?.('input, textarea, select');
  if (event.key.toLowerCase() === 'n' && !isInField && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    goTo('new');
  }
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!event.altKey || step === undefined) return;
  event.preventDefault();
  const all = threads().map(([first]) => first.threadId);
  if (all.length > 0) goTo(all.at((all.indexOf(state.open) + step) % all.length));
}

const toList = () => {
  location.hash = '';
};

document.addEventListener('keydown', onPageKey);
addEventListener('hashchange', () => openThread());
byId('back').addEventListener('click', toList);
byId('write-back').addEventListener('click', toList);
byId('new-mail').addEventListener('click', () => goTo('new'));
startWriting({ onAway: showOffline, onSent: goTo });
startTheme();
listen();
