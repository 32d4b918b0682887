/** The message field: drafts, replies, edits and attachments. */
import { byId, element, fillMenu, openMenu, toast } from './dom.js';
import { showHints } from './hints.js';
import { isMine, textOf } from './message-view.js';
import { chatPath, keyOf, openChat, postJson, shownEntries, state } from './state.js';

/** The purpose of the field: `undefined`, `{ kind: 'reply', entry, quote? }` or `{ kind: 'edit', entry }`. */
let purpose;
let whenAway = () => {};

const field = () => byId('text');

/** @param {() => void} onAway called if the sandbox does not respond */
export function startCompose(onAway) {
  whenAway = onAway;
  byId('compose').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  field().addEventListener('input', fitField);
  field().addEventListener('keydown', onKey);
  byId('purpose-end').addEventListener('click', () => endPurpose());
  byId('attach').addEventListener('click', () => openMenu(byId('attach-menu'), byId('attach')));
  byId('try').addEventListener('click', () => {
    const rows = state.showcases.map(({ words, shows }) => ({
      text: words,
      hint: shows,
      onClick: () => void say(words),
    }));
    fillMenu(byId('try-menu'), rows);
    openMenu(byId('try-menu'), byId('try'));
  });
  fillMenu(byId('attach-menu'), [
    { text: '🖼 Photo', onClick: () => void send('photo') },
    { text: '🗂 Album of three', onClick: () => void send('album') },
    { text: '🎤 Voice message', onClick: () => void send('voice') },
    { text: '👍 Sticker', onClick: () => void send('sticker') },
    { text: '📄 Document', onClick: () => void send('document') },
  ]);
}

/** Resets the field for another chat, with that chat's draft and no reply. */
export function resetCompose() {
  setPurpose(undefined);
  field().value = state.drafts.get(keyOf(state.open)) ?? '';
  fitField();
}

export function replyTo(entry) {
  setPurpose({ kind: 'reply', entry, ...markedPart(entry) });
  field().focus();
}

export function startEdit(entry) {
  setPurpose({ kind: 'edit', entry });
  field().value = entry.text;
  fitField();
  field().focus();
}

/** Returns the selected text inside the message, which becomes the quote. */
function markedPart(entry) {
  const selection = getSelection();
  const marked = selection.toString();
  const holder = document.querySelector(`[data-message-id="${entry.messageId}"] .body`);
  const isInside =
    selection.rangeCount > 0 && holder?.contains(selection.getRangeAt(0).commonAncestorContainer);
  return isInside && marked.trim() !== '' && entry.text.includes(marked) ? { quote: marked } : {};
}

function setPurpose(next) {
  purpose = next;
  byId('purpose').hidden = next === undefined;
  if (next === undefined) return;
  const { kind, entry, quote } = next;
  byId('purpose-words').replaceChildren(
    element('b', '', kind === 'edit' ? 'Edit message' : `${quote ? 'Quote' : 'Reply to'} ${entry.from}`),
    element('span', '', quote ?? textOf(entry)),
  );
}

function endPurpose() {
  const wasEdit = purpose?.kind === 'edit';
  setPurpose(undefined);
  if (wasEdit) field().value = '';
  fitField();
  field().focus();
}

function onKey(event) {
  // Enter may end the composition of a character (Japanese, Chinese …) and must not send the message then.
  if (event.isComposing) return;
  if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault();
    void send();
  } else if (event.key === 'Escape' && purpose !== undefined) {
    endPurpose();
  } else if (event.key === 'Tab' && !event.shiftKey && byId('hints').querySelector('[data-completes]')) {
    event.preventDefault();
    byId('hints').querySelector('[data-completes]').click();
  } else if (event.key === 'ArrowUp' && field().value === '' && !event.altKey) {
    editLastOwn(event);
  }
}

function editLastOwn(event) {
  const isGroup = openChat()?.kind !== 'private';
  const last = shownEntries().findLast(
    (entry) => !entry.isEvent && !entry.isFromBefore && isMine(entry, { me: state.me, isGroup }),
  );
  if (last === undefined) return;
  event.preventDefault();
  startEdit(last);
}

/** Sends the text of the field, alone or as the caption of `media`. */
async function send(media) {
  const text = field().value.trim();
  if (text === '' && media === undefined) return;
  await say(text, media);
}

/** Puts a text into the field to complete a mention. */
export function fill(text) {
  field().value = text;
  fitField();
  field().focus();
}

export async function say(words, media) {
  const { open, me } = state;
  const done = purpose;
  const isWhole = media !== 'sticker';
  const body = { personId: me.id, text: isWhole ? addressed(words) : '' };
  if (isWhole) field().value = '';
  setPurpose(undefined);
  fitField();
  try {
    if (done?.kind === 'edit' && media === undefined) {
      await postJson(chatPath(`messages/${done.entry.messageId}/edit`), { ...body, text: words });
      return;
    }
    if (done?.kind === 'reply')
      Object.assign(body, { replyToMessageId: done.entry.messageId }, done.quote && { quote: done.quote });
    await postJson(chatPath('messages'), { ...body, media, threadId: open.threadId });
    byId('scroll').scrollTop = byId('scroll').scrollHeight;
  } catch (error) {
    // The text must not be lost if the sandbox was briefly unavailable.
    state.drafts.set(keyOf(open), words);
    if (open === state.open) {
      setPurpose(done);
      field().value = words;
      fitField();
    }
    if (error.isRefusal) toast(error.message);
    else whenAway();
  }
}

/** Adds a mention to a showcase in a group, so that the bot answers it. */
function addressed(words) {
  const chat = openChat();
  const bot = state.bots.find(({ botId }) => botId === state.open.botId);
  const isShowcase = state.showcases.some((one) => one.words === words);
  return isShowcase && chat?.kind !== 'private' ? `@${bot.username} ${words}` : words;
}

function fitField() {
  const { value } = field();
  field().rows = Math.min(8, value.split('\n').length);
  if (state.open !== undefined && purpose?.kind !== 'edit') state.drafts.set(keyOf(state.open), value);
  showHints({ value, isNew: shownEntries().length === 0, say, fill });
}
