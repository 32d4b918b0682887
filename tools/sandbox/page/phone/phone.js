/** The phones of two people who write to the business's number on WhatsApp. */
import { startComposing, startLoading, tryTo } from '/conversation.js';
import { avatar, button, byId, dayOf, element, timeOf } from '/dom.js';
import { startTheme } from '/head.js';
import { formatted, whatsappMarks } from '/inline.js';
import { getJson, postJson } from '/state.js';

const page = { state: undefined, phone: undefined };

const holder = () => page.state.people.find(({ phone }) => phone === page.phone);

function showPeople() {
  const rows = page.state.people.map(({ phone, name, messages }) => {
    const last = messages.at(-1);
    const words = element(
      'span',
      'who',
      element('span', 'top', element('b', '', name), ...(last ? [element('time', '', timeAt(last))] : [])),
      element('span', 'bottom', element('small', '', last?.text ?? `+${phone}`)),
    );
    const row = button({ className: 'chat-row', onClick: () => hold(phone) }, avatar(name, phone), words);
    if (phone === page.phone) row.setAttribute('aria-current', 'true');
    return element('li', '', row);
  });
  byId('people').replaceChildren(...rows);
}

const isoOf = ({ at }) => new Date(at).toISOString();
const timeAt = (message) => timeOf(isoOf(message));
const marks = { sent: '✓', delivered: '✓✓', read: '✓✓', failed: '!' };

/** A text in its own direction. */
function textOf(className, ...children) {
  const text = element('div', className, ...children);
  text.dir = 'auto';
  return text;
}

/** A button that answers, or one that would open a page or a call on the person's phone. */
function buttonOf(messageId, { title, description, address }) {
  if (address === undefined) {
    const more = description === undefined ? [] : [element('small', '', description)];
    return button({ className: 'phone-button', onClick: () => press(messageId, title) }, title, ...more);
  }
  const label = element('span', 'phone-button phone-link', `${title} ↗`);
  label.title = address;
  return label;
}

function bubbleOf(message) {
  const { id, isMine, text, header, footer, buttons, status } = message;
  const body = textOf('body', ...formatted(text, whatsappMarks));
  const meta = element('span', 'meta', element('time', '', timeAt(message)));
  // The business's own marks: what it knows about its message.
  if (!isMine && status) {
    const mark = element('span', `phone-mark ${status}`, marks[status]);
    mark.title = `The business knows that it was ${status}`;
    meta.append(mark);
  }
  const bubble = element(
    'div',
    'bubble',
    ...(header ? [textOf('phone-header', header)] : []),
    body,
    ...(footer ? [textOf('phone-footer', footer)] : []),
    meta,
  );
  const column = element('div', 'column', bubble, ...buttons.map((one) => buttonOf(id, one)));
  return element('li', `message ${isMine ? 'mine' : 'theirs'}`, element('div', 'stack', column));
}

function showConversation() {
  const { number, address, credentials } = page.state;
  byId('conversation').hidden = false;
  byId('avatar').replaceChildren(avatar(number.name, 4));
  byId('number-name').textContent = number.name;
  byId('number-state').textContent = address
    ? `${number.display} · ${holder().name}'s phone`
    : `${number.display} · not connected to a bot yet`;
  byId('credentials').open ||= address === null;
  const lines = Object.entries(credentials).flatMap(([name, value]) => [
    element('dt', '', name),
    element('dd', '', element('code', '', value)),
  ]);
  byId('secrets').replaceChildren(...lines);
  let day = '';
  const items = holder().messages.flatMap((message) => {
    const isNewDay = dayOf(isoOf(message)) !== day;
    day = dayOf(isoOf(message));
    return isNewDay ? [element('li', 'line', day), bubbleOf(message)] : [bubbleOf(message)];
  });
  byId('messages').replaceChildren(...items);
  byId('scroll').scrollTop = byId('scroll').scrollHeight;
}

function show() {
  showPeople();
  showConversation();
  const isLooking = document.visibilityState === 'visible' && document.body.dataset.view === 'chat';
  const isUnread = ({ isMine, status }) => !isMine && (status === 'sent' || status === 'delivered');
  if (isLooking && holder().messages.some(isUnread))
    void postJson('/api/whatsapp/reads', { phone: page.phone }).catch(() => undefined);
}

function hold(phone) {
  page.phone = phone;
  document.body.dataset.view = 'chat';
  show();
}

async function load() {
  page.state = await getJson('/api/whatsapp');
  page.phone ??= page.state.people[0].phone;
  show();
}

const press = (messageId, title) =>
  tryTo(() => postJson('/api/whatsapp/presses', { phone: page.phone, messageId, title }));

startComposing((text) =>
  postJson('/api/whatsapp/messages', { phone: page.phone, text, isOld: byId('is-old').checked }),
);
byId('back').addEventListener('click', () => {
  document.body.dataset.view = 'list';
});
startTheme();
// On a wide screen the chat is beside the list.
if (matchMedia('(min-width: 681px)').matches) document.body.dataset.view = 'chat';
document.addEventListener('visibilitychange', startLoading('whatsapp', load));
