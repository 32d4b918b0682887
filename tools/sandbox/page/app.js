/** The chat page: keeps the state, listens to the sandbox's events, sends what is typed. */
import { botItem, element, messageItems, paintAvatar } from './view.js';

const person = { id: 700000001, name: 'Sam' };
const byId = (id) => document.getElementById(id);
const state = {
  bots: [],
  botId: undefined,
  kind: 'private',
  entries: [],
  fresh: new Map(),
  lastTexts: new Map(),
  hasSandboxModel: false,
};
let typingTimer;

const chatId = () => (state.kind === 'private' ? person.id : -person.id);
const currentBot = () => state.bots.find((bot) => bot.botId === state.botId);
const isOpenChat = (event) => event.botId === state.botId && event.chatId === String(chatId());
const messagesPath = () => `/api/bots/${state.botId}/chats/${chatId()}/messages`;

async function getJson(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

async function loadBots() {
  const all = await getJson('/api/bots');
  // A bot that lost its webhook stays in the list while there is a conversation to read.
  state.bots = all.filter((bot) => bot.hasWebhook || bot.botId === state.botId);
  if (currentBot() === undefined) state.botId = undefined;
  if (state.botId === undefined && state.bots.length > 0)
    await openBot(state.bots[0].botId, { isChosen: false });
  showBots();
}

async function openBot(botId, { isChosen }) {
  state.botId = botId;
  state.entries = [];
  if (isChosen) document.body.dataset.view = 'chat';
  showBots();
  await loadHistory();
  if (isChosen) byId('text').focus();
}

async function loadHistory() {
  if (state.botId === undefined) return;
  const path = messagesPath();
  const fresh = new Map();
  state.fresh = fresh;
  const { messages, typingForMs } = await getJson(path);
  // Another chat was opened, or a newer load of this one was begun, in the meantime.
  if (path !== messagesPath() || state.fresh !== fresh) return;
  // What events told while the history was on its way is newer than the history.
  const known = new Map([...messages.map((entry) => [entry.messageId, entry]), ...fresh]);
  state.entries = [...known.values()];
  if (messages.length > 0) state.lastTexts.set(state.botId, messages.at(-1).text);
  showBots();
  showMessages({ isForced: true });
  showTyping(typingForMs);
}

function showBots() {
  const items = state.bots.map((bot) =>
    botItem({
      bot,
      last: state.lastTexts.get(bot.botId) ?? '',
      isCurrent: bot.botId === state.botId,
      onOpen: () => openBot(bot.botId, { isChosen: true }).catch(showOffline),
    }),
  );
  byId('bots').replaceChildren(...items);
  const bot = currentBot();
  byId('no-bots').hidden = state.bots.length > 0;
  byId('empty').hidden = bot !== undefined;
  byId('conversation').hidden = bot === undefined;
  document.body.classList.toggle('without-bots', state.bots.length === 0);
  if (bot !== undefined) showHead(bot);
}

function showHead(bot) {
  paintAvatar(byId('avatar'), bot);
  byId('bot-name').textContent = bot.name;
  const undelivered = state.entries.filter(
    ({ delivery }) => delivery?.state === 'queued' || delivery?.state === 'retrying',
  ).length;
  const waiting = undelivered > 1 ? ` · ${undelivered} waiting` : '';
  byId('bot-state').textContent = bot.hasWebhook
    ? `@${bot.username}${waiting}`
    : 'not connected: its webhook was removed';
  for (const button of document.querySelectorAll('[data-kind]')) {
    button.setAttribute('aria-pressed', String(button.dataset.kind === state.kind));
  }
  byId('text').placeholder = state.kind === 'private' ? 'Message' : 'Message the group';
  showHints();
}

function showMessages({ isForced = false } = {}) {
  const scroll = byId('scroll');
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 120;
  byId('messages').replaceChildren(...messageItems(state.entries));
  if (state.entries.length === 0)
    byId('messages').append(element('li', 'day', 'No messages yet. Say hello!'));
  if (isForced || isAtEnd) scroll.scrollTop = scroll.scrollHeight;
  showHints();
}

function showTyping(forMs) {
  clearTimeout(typingTimer);
  byId('typing').hidden = forMs <= 0;
  if (forMs <= 0) return;
  typingTimer = setTimeout(() => showTyping(0), forMs);
  const scroll = byId('scroll');
  if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 160)
    scroll.scrollTop = scroll.scrollHeight;
}

/** Commands once a slash is typed; first words in an empty chat. */
function showHints() {
  const typed = byId('text').value;
  const bot = currentBot();
  const commands = (bot?.commands ?? []).filter(
    ({ command }) => typed.startsWith('/') && `/${command}`.startsWith(typed.trimEnd()),
  );
  const hints = commands.map(({ command, description }) => hint(`/${command}`, description));
  if (typed === '' && state.entries.length === 0 && bot !== undefined) {
    const firstWords = state.hasSandboxModel
      ? ['hello', 'a long answer, please', 'be slow', 'please fail']
      : ['hello'];
    const mention = state.kind === 'group' ? `@${bot.username} ` : '';
    hints.push(...firstWords.map((words) => hint(`${mention}${words}`, '')));
  }
  byId('hints').replaceChildren(...hints);
}

function hint(words, description) {
  const button = element(
    'button',
    'hint',
    words,
    ...(description === '' ? [] : [element('small', '', description)]),
  );
  button.type = 'button';
  button.addEventListener('click', () => say(words));
  return button;
}

async function say(words) {
  const text = words.trim();
  if (text === '') return;
  const field = byId('text');
  field.value = '';
  fitField();
  try {
    const response = await fetch(messagesPath(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, name: person.name }),
    });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    byId('scroll').scrollTop = byId('scroll').scrollHeight;
  } catch (error) {
    // What was typed must not be lost because the sandbox was away for a moment.
    field.value = words;
    fitField();
    showOffline(error);
  }
}

function fitField() {
  const field = byId('text');
  field.rows = Math.min(8, field.value.split('\n').length);
  showHints();
}

function showOffline() {
  byId('offline').hidden = false;
}

function takeMessage(event) {
  const isOurs = Math.abs(Number(event.chatId)) === person.id;
  if (isOurs) state.lastTexts.set(event.botId, event.entry.text);
  if (isOpenChat(event)) {
    state.fresh.set(event.entry.messageId, event.entry);
    state.entries.push(event.entry);
    if (event.entry.direction === 'out') showTyping(0);
    showMessages({ isForced: event.entry.direction === 'in' });
  }
  showBots();
}

function takeDelivery(event) {
  if (!isOpenChat(event)) return;
  state.fresh.set(event.entry.messageId, event.entry);
  const at = state.entries.findIndex((entry) => entry.messageId === event.entry.messageId);
  if (at === -1) return;
  state.entries[at] = event.entry;
  showMessages();
  showBots();
}

function listen() {
  const events = new EventSource('/api/events');
  events.addEventListener('open', () => {
    byId('offline').hidden = true;
    loadBots().then(loadHistory).catch(showOffline);
  });
  events.addEventListener('error', showOffline);
  events.addEventListener('bot', () => loadBots().catch(showOffline));
  events.addEventListener('message', (event) => takeMessage(JSON.parse(event.data)));
  events.addEventListener('delivery', (event) => takeDelivery(JSON.parse(event.data)));
  events.addEventListener('typing', (event) => {
    const typing = JSON.parse(event.data);
    if (isOpenChat(typing)) showTyping(typing.forMs);
  });
}

byId('compose').addEventListener('submit', (event) => {
  event.preventDefault();
  void say(byId('text').value);
});
byId('text').addEventListener('input', fitField);
byId('text').addEventListener('keydown', (event) => {
  // Enter that ends the composition of a character (Japanese, Chinese …) is not a wish to send.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void say(byId('text').value);
});
byId('back').addEventListener('click', () => {
  document.body.dataset.view = 'list';
});
for (const button of document.querySelectorAll('[data-kind]')) {
  button.addEventListener('click', () => {
    state.kind = button.dataset.kind;
    state.entries = [];
    showBots();
    loadHistory().catch(showOffline);
  });
}

getJson('/api/status')
  .then(({ platforms }) => {
    state.hasSandboxModel = platforms.model !== undefined;
  })
  .catch(showOffline)
  .finally(listen);
