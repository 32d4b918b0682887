/** What a message, a bot and their states look like. No state of its own. */
import { safeHtml, safeText } from './safe-html.js';

/** @param {string} tag @param {string} className @param {...(Node|string)} children */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

export function timeOf(iso) {
  return new Date(iso).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

function dayOf(iso) {
  const day = new Date(iso);
  const now = new Date();
  if (day.toDateString() === now.toDateString()) return 'Today';
  return day.toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long' });
}

/** One list item per message, with the day between days. */
export function messageItems(entries) {
  const items = [];
  let day = '';
  let previous;
  for (const entry of entries) {
    if (dayOf(entry.sentAt) !== day) {
      day = dayOf(entry.sentAt);
      items.push(element('li', 'day', day));
      previous = undefined;
    }
    items.push(messageItem(entry, previous?.direction === entry.direction));
    previous = entry;
  }
  return items;
}

function messageItem(entry, isContinued) {
  const isMine = entry.direction === 'in';
  const content = entry.html === undefined ? safeText(entry.text) : safeHtml(entry.html);
  const body = element('div', 'body', content);
  const time = element('time', '', timeOf(entry.sentAt));
  time.dateTime = entry.sentAt;
  const meta = element('span', 'meta', time);
  if (isMine) meta.append(...deliveryMark(entry.delivery));
  const bubble = element('div', 'bubble', body, meta);
  const item = element(
    'li',
    `message ${isMine ? 'mine' : 'theirs'}${isContinued ? ' continued' : ''}`,
    bubble,
  );
  const note = isMine ? deliveryNote(entry.delivery) : '';
  if (note !== '') item.append(element('p', `note ${entry.delivery.state}`, note));
  return item;
}

const marks = { queued: '◷', delivered: '✓', retrying: '↻', dropped: '!', withheld: '–' };
const words = {
  queued: 'on its way',
  delivered: 'delivered',
  retrying: 'trying again',
  dropped: 'not delivered',
  withheld: 'not shown to the bot',
};

function deliveryMark(delivery) {
  if (delivery === undefined) return [];
  const mark = element('span', `mark ${delivery.state}`, marks[delivery.state]);
  mark.title = words[delivery.state];
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', words[delivery.state]);
  return [mark];
}

function deliveryNote(delivery) {
  if (delivery?.state === 'retrying') {
    const reason =
      delivery.lastStatus === undefined
        ? (delivery.lastError ?? 'no answer')
        : `answered ${delivery.lastStatus}`;
    const pause = delivery.retryInMs >= 1000 ? `in ${Math.round(delivery.retryInMs / 1000)} s` : 'at once';
    return `Webhook: ${reason}. Attempt ${delivery.attempts} failed, the next ${pause}`;
  }
  if (delivery?.state === 'dropped') return 'Not delivered: the messenger gave up';
  return delivery?.state === 'withheld' ? 'In a group the bot only sees messages that mention it' : '';
}

const hues = ['blue', 'violet', 'green', 'orange', 'pink', 'teal'];

export function paintAvatar(avatar, bot) {
  avatar.textContent = (bot.name || bot.username).slice(0, 1).toUpperCase();
  avatar.dataset.hue = hues[bot.botId % hues.length];
}

/** @param {{bot: object, last: string, isCurrent: boolean, onOpen: () => void}} about */
export function botItem({ bot, last, isCurrent, onOpen }) {
  const avatar = element('span', 'avatar');
  avatar.setAttribute('aria-hidden', 'true');
  paintAvatar(avatar, bot);
  const state = bot.hasWebhook ? last || `@${bot.username}` : 'not connected';
  const button = element(
    'button',
    'bot',
    avatar,
    element('span', 'who', element('b', '', bot.name), element('small', '', state)),
  );
  button.type = 'button';
  if (isCurrent) button.setAttribute('aria-current', 'true');
  if (!bot.hasWebhook) button.classList.add('away');
  button.addEventListener('click', onOpen);
  return element('li', '', button);
}
