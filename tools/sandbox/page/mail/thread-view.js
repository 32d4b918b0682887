/** The emails of a thread, each as text, as HTML in a frame without scripts, or with its headers. */
import { button, dayOf, element, timeOf } from '/dom.js';
import { isAutomatic, personOf, state } from './mail-state.js';
import { pictureOf } from './thread-list.js';

/** The selected view of each email. */
const views = new Map();

const deliveries = {
  queued: ['in delivery …', 'quiet'],
  retrying: ['not accepted yet, retrying', 'warn'],
  delivered: ['accepted by the bot', 'quiet'],
  rejected: ['rejected permanently (406)', 'bad'],
  dropped: ['gave up after the last attempt', 'bad'],
  unrouted: ['no route for this address', 'bad'],
};

/** @param {{onBounce: (entry: object) => void, onAutoReply: (entry: object) => void, onChange: () => void}} on */
export function mailItems(entries, on) {
  return entries.map((entry) => mailItem(entry, on));
}

function mailItem(entry, on) {
  const { direction, from, to, at, copies, entryId } = entry;
  const isOwn = direction === 'in' && from.address === state.me.address;
  const item = element('li', `mail ${isOwn ? 'mine' : 'theirs'}`);
  item.tabIndex = -1;
  item.dataset.entryId = entryId;
  const name = element('b', '', personOf(from.address)?.name ?? (from.name || from.address));
  const badges = [
    ...(isAutomatic(entry) ? ['automatic'] : []),
    ...(copies > 1 ? [`received ${copies} times`] : []),
  ].map((text) => element('span', 'badge', text));
  const who = element(
    'div',
    'who',
    element('div', 'mail-from', name, ...badges),
    element('small', '', `${from.address} → ${to}`),
  );
  const time = element('time', '', `${dayOf(at)}, ${timeOf(at)}`);
  time.dateTime = at;
  const view = views.get(entryId) ?? 'text';
  item.dataset.shows = [entryId, view, state.me.id, copies, entry.delivery, entry.attempts?.length].join();
  item.append(
    element('header', 'mail-head', pictureOf(from), who, time),
    bodyOf(entry, view),
    ...filesOf(entry),
    element(
      'footer',
      'mail-foot',
      ...viewButtons(entry, view, on),
      ...reactions(entry, on),
      ...stateOf(entry),
    ),
  );
  return item;
}

function viewButtons(entry, view, { onChange }) {
  const names = ['text', ...(entry.html === null ? [] : ['html']), 'headers'];
  return names.map((name) => {
    const made = button(
      {
        className: 'view',
        onClick: () => {
          views.set(entry.entryId, name);
          onChange();
          document.querySelector(`[data-entry-id="${entry.entryId}"] [aria-pressed="true"]`)?.focus();
        },
      },
      { text: 'Text', html: 'HTML', headers: 'Headers' }[name],
    );
    made.setAttribute('aria-pressed', String(name === view));
    return made;
  });
}

function reactions(entry, { onBounce, onAutoReply }) {
  if (entry.direction !== 'out') return [];
  return [
    button(
      { className: 'view', label: 'Bounce: this address does not exist', onClick: () => onBounce(entry) },
      '↩ Bounce',
    ),
    button(
      {
        className: 'view',
        label: 'Send an automatic reply',
        onClick: () => onAutoReply(entry),
      },
      '⚙ Away',
    ),
  ];
}

function stateOf({ direction, delivery, attempts }) {
  if (direction === 'out') return [];
  const [text, tone] = deliveries[delivery] ?? ['', 'quiet'];
  const last = attempts?.at(-1);
  const why = delivery === 'retrying' ? ` (${last?.status ?? 'no response'})` : '';
  return [element('span', `mail-state ${tone}`, `${text}${why}`)];
}

function bodyOf(entry, view) {
  if (view === 'headers') return headersOf(entry);
  if (view === 'html') return frameOf(entry);
  return element('div', 'mail-text', ...linked(entry.text || '(no text)'));
}

function headersOf({ headers, messageId, subject }) {
  const rows = Object.entries({ Subject: subject, 'Message-Id': messageId, ...headers }).flatMap(
    ([name, value]) => [element('dt', '', name), element('dd', '', value)],
  );
  return element('dl', 'mail-headers', ...rows);
}

function frameOf({ entryId, subject, text }) {
  const frame = element('iframe', 'mail-html');
  frame.title = `HTML of ${subject}`;
  frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox');
  frame.src = `/api/mail/${entryId}/html`;
  // The height is estimated, because the frame doesn't report the height of its content.
  frame.style.height = `${Math.min(640, 90 + 26 * Math.max(text.split('\n').length, text.length / 70))}px`;
  return frame;
}

function filesOf({ files }) {
  if (files.length === 0) return [];
  const items = files.map(({ name, sizeBytes }) =>
    element('li', 'file', `📎 ${name} · ${sizeOf(sizeBytes)}`),
  );
  return [element('ul', 'files', ...items)];
}

export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Returns text with links. Only http and https become links, because the text is untrusted. */
function linked(text) {
  return text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/g).map((part, index) => {
    if (index % 2 === 0) return part;
    const link = element('a', '', part);
    link.href = part;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    return link;
  });
}

export function participants(entries) {
  const addresses = new Set(
    entries.flatMap(({ from, to }) => [from.address, to]).map((one) => one.replace(/\+[^@]*@/, '@')),
  );
  return [...addresses].map((address) => (address === state.me.address ? 'you' : address)).join(', ');
}
