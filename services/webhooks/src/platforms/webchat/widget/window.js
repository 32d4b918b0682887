import { createComposer } from './composer.js';
import { element, icon } from './dom.js';
import { isAway } from './hours.js';
import { createMailForm } from './mail-form.js';
import { MessageList } from './message-list.js';
import { sheetOf } from './styles.js';
import { windowStyles } from './window-styles.js';
import { wordsFor } from './words.js';

const minuteMs = 60_000;

/** The window of the chat. It is made when it is first opened. */
export function createWindow(parts) {
  const { root, host, launcher, client, own, isPage, isPreview, styles, limits, thumbs } = parts;
  const words = wordsFor(parts.languages);
  root.adoptedStyleSheets = [styles, sheetOf(windowStyles)];
  const title = element('h2', { id: 'title' }, own.title ?? words.title);
  const partner = element('p', {}, words.ai);
  const close = element(
    'button',
    { class: 'icon', type: 'button', 'aria-label': words.close },
    icon('close'),
  );
  const notice = element('p', { class: 'notice', role: 'status' });
  const away = element('p', { class: 'away', role: 'status', dir: 'auto' });
  let shownFault = '';
  const showFault = (text) => {
    shownFault = text;
    update();
  };
  const list = new MessageList({ client, own, words, thumbs, showFault });
  const composer = createComposer({ client, words, limits, showFault });
  const mail = parts.mail ? createMailForm({ client, words, isPreview }) : undefined;
  const shown = element(
    'section',
    { class: 'window', role: 'dialog', 'aria-labelledby': 'title', hidden: true },
    element('header', {}, element('div', {}, title, partner), !isPage && close),
    list.element,
    element('div', { class: 'foot' }, away, mail?.elements, notice, composer.form),
  );
  root.append(shown);

  const showAway = () => {
    // A preview shows the words at any time.
    const text = parts.hours && (isPreview || isAway(parts.hours)) ? (own.away ?? words.away) : '';
    // The same words again would be read out again.
    if (away.textContent !== text) away.textContent = text;
  };
  const update = () => {
    list.update();
    const partnerWords = client.isWithPerson ? words.withPerson : words.ai;
    if (partner.textContent !== partnerWords) partner.textContent = partnerWords;
    showAway();
    mail?.update();
    const isOffline = client.isCutOff || !navigator.onLine;
    notice.textContent = client.fault ? words.unavailable : shownFault || (isOffline ? words.offline : '');
    notice.classList.toggle('bad', client.fault !== null || shownFault !== '');
    if (!shown.hidden && document.visibilityState === 'visible') client.markRead();
  };
  const setOpen = (isOpen) => {
    shown.hidden = !isOpen;
    host.toggleAttribute('data-open', isOpen);
    launcher.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) {
      update();
      list.scrollToEnd();
      if (!isPreview) composer.focus();
    } else launcher.focus();
  };
  client.addEventListener('change', update);
  setInterval(showAway, minuteMs);
  for (const event of ['online', 'offline']) window.addEventListener(event, update);
  document.addEventListener('visibilitychange', update);
  close.addEventListener('click', () => setOpen(false));
  shown.addEventListener('keydown', (event) => onKey(event, { shown, isPage, leave: () => setOpen(false) }));
  return {
    get isOpen() {
      return !shown.hidden;
    },
    open: () => shown.hidden && setOpen(true),
    close: () => !shown.hidden && !isPage && setOpen(false),
  };
}

/** Escape closes. Where the window covers the page, the tabulator stays in it. */
function onKey(event, { shown, isPage, leave }) {
  if (event.key === 'Escape' && !isPage) {
    event.stopPropagation();
    leave();
  }
  if (event.key !== 'Tab' || isPage || shown.clientWidth < window.innerWidth) return;
  const stops = [...shown.querySelectorAll('button, input, textarea, a[href], [tabindex="0"]')].filter(
    (one) => one.offsetParent !== null && !one.disabled,
  );
  const { activeElement } = shown.getRootNode();
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  if (activeElement !== edge) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0]).focus();
}
