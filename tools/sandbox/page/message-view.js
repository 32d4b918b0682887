/** Renders messages as bubbles with senders, quotes, media, buttons and states. Keeps no state. */
import { avatar, button, dayOf, element, hueOf, timeOf } from './dom.js';
import { mediaName, mediaView } from './media-view.js';
import { safeHtml } from './safe-html.js';

/**
 * Returns one list item per message or album, with a line for each new day. `context` has `me`, `bot`, `isGroup`,
 * `isMember`, `find(messageId)` and the callbacks `onReply`, `onEdit`, `onPress` and `onJump`.
 */
export function messageItems(entries, context) {
  const items = [];
  let day = '';
  let previous;
  for (const album of albumsOf(entries)) {
    const [entry] = album;
    if (dayOf(entry.sentAt) !== day) {
      day = dayOf(entry.sentAt);
      items.push(element('li', 'line', day));
      previous = undefined;
    }
    const isLast = album.includes(entries.at(-1));
    if (entry.isEvent) items.push(element('li', 'line', entry.text));
    else items.push(messageItem(album, { ...context, isContinued: isSameSender(previous, entry), isLast }));
    previous = entry.isEvent ? undefined : entry;
  }
  return items;
}

function albumsOf(entries) {
  const albums = [];
  for (const entry of entries) {
    const last = albums.at(-1);
    if (entry.albumId !== undefined && last?.[0].albumId === entry.albumId) last.push(entry);
    else albums.push([entry]);
  }
  return albums;
}

const isSameSender = (a, b) => a !== undefined && a.direction === b.direction && a.fromId === b.fromId;

export const isMine = (entry, { me, isGroup }) =>
  entry.direction === 'in' && (entry.fromId === undefined ? !isGroup : entry.fromId === me.id);

function messageItem(album, context) {
  const [entry] = album;
  const { isGroup, isContinued, isLast, bot } = context;
  const mine = isMine(entry, context);
  const senderId = entry.direction === 'out' ? bot.botId : (entry.fromId ?? 0);
  const item = element('li', `message ${mine ? 'mine' : 'theirs'}${isContinued ? ' continued' : ''}`);
  item.tabIndex = -1;
  item.dataset.messageId = entry.messageId;
  if (isGroup && !mine) {
    item.classList.add('beside');
    item.append(isContinued ? element('span', 'no-avatar') : avatar(entry.from, senderId));
  }
  const stack = element('div', 'stack');
  const column = element('div', 'column', bubbleOf(album, senderId, context));
  if (entry.buttons) column.append(keyboard(entry, context));
  stack.append(element('div', 'bubble-row', column, actionsOf(entry, context)));
  const note = mine ? noteOf(entry, context) : '';
  if (note !== '' && (isLast || entry.delivery.state !== 'withheld'))
    stack.append(element('p', `note ${entry.delivery.state}`, note));
  item.append(stack);
  return item;
}

function bubbleOf(album, senderId, context) {
  const [entry] = album;
  const { isGroup, isContinued } = context;
  const mine = isMine(entry, context);
  const bubble = element('div', `bubble${entry.media ? ` with-${entry.media}` : ''}`);
  if (isGroup && !mine && !isContinued) {
    const name = element('p', 'sender', entry.from, ...(entry.direction === 'out' ? [badge()] : []));
    name.dataset.hue = hueOf(senderId);
    bubble.append(name);
  }
  if (entry.replyToMessageId !== undefined) bubble.append(quoteOf(entry, context));
  if (entry.media !== undefined) bubble.append(mediaView(album));
  if (entry.text !== '') {
    const body = element('div', 'body', safeHtml(entry.text, entry.entities));
    body.dir = 'auto';
    bubble.append(body);
  }
  bubble.append(metaOf(album.at(-1), entry, mine));
  return bubble;
}

function badge() {
  return element('span', 'badge', 'bot');
}

function metaOf(last, entry, mine) {
  const time = element('time', '', timeOf(entry.sentAt));
  time.dateTime = entry.sentAt;
  const meta = element('span', 'meta', ...(entry.editedAt ? ['edited '] : []), time);
  if (mine && last.delivery) meta.append(markOf(last.delivery));
  return meta;
}

function quoteOf(entry, { find, onJump }) {
  const target = find(entry.replyToMessageId);
  const words = entry.quote ?? textOf(target);
  const quote = button(
    { className: 'quote', onClick: () => onJump(entry.replyToMessageId) },
    element('b', '', target?.from ?? 'Message'),
    element('span', '', words),
  );
  quote.dataset.hue = hueOf(target?.fromId ?? 0);
  return quote;
}

/** Returns a message in one line. */
export function textOf(entry) {
  if (entry === undefined) return 'no longer available';
  if (entry.text !== '') return entry.text.replace(/\s+/g, ' ').slice(0, 200);
  return mediaName(entry.media);
}

function actionsOf(entry, context) {
  const actions = element('div', 'actions');
  if (entry.isFromBefore) return actions;
  actions.append(button({ label: 'Reply (R)', onClick: () => context.onReply(entry) }, '↩'));
  if (isMine(entry, context))
    actions.append(button({ label: 'Edit (E)', onClick: () => context.onEdit(entry) }, '✎'));
  if (entry.direction === 'out' && !entry.buttons) {
    const label = 'Press a former button of this message';
    actions.append(button({ label, onClick: () => context.onPress(entry, 'old-button') }, '◉'));
  }
  return actions;
}

function keyboard(entry, { onPress }) {
  const rows = entry.buttons.map((row) => {
    const keys = row.map(({ text, data, url }) =>
      url === undefined
        ? button({ className: 'key', onClick: () => onPress(entry, data) }, text)
        : element('span', 'key', safeHtml(`${text} ↗ ${url}`)),
    );
    return element('div', 'keys', ...keys);
  });
  return element('div', 'keyboard', ...rows);
}

const marks = { queued: '◷', delivered: '✓', retrying: '↻', dropped: '!', withheld: '–' };
const words = {
  queued: 'in delivery',
  delivered: 'delivered',
  retrying: 'retrying',
  dropped: 'not delivered',
  withheld: 'not sent to the bot',
};

function markOf({ state }) {
  const mark = element('span', `mark ${state}`, marks[state]);
  mark.title = words[state];
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', words[state]);
  return mark;
}

function noteOf({ delivery }, { isMember }) {
  if (delivery?.state === 'retrying') {
    const reason =
      delivery.lastStatus === undefined
        ? (delivery.lastError ?? 'no response')
        : `returned ${delivery.lastStatus}`;
    const pause =
      delivery.retryInMs >= 1000 ? `in ${Math.round(delivery.retryInMs / 1000)} s` : 'immediately';
    return `Webhook: ${reason}. Attempt ${delivery.attempts} failed, next attempt ${pause}`;
  }
  if (delivery?.state === 'dropped') return 'Not delivered: the messenger gave up after the last attempt';
  if (delivery?.state !== 'withheld') return '';
  return isMember
    ? 'In a group, the bot receives only mentions, replies to it and commands'
    : 'The bot is not in this group';
}
