import { showChat } from './start.js';
import { sheetOf } from './styles.js';

/** A client without a server: it keeps what is typed into the preview, and sends nothing. */
class PreviewClient extends EventTarget {
  shown;
  waiting = [];
  preview = null;
  isTyping = false;
  isRead = false;
  isWithPerson = false;
  isCutOff = false;
  hasMail = false;
  isMailRequested = false;
  fault = null;
  unread = 0;

  constructor(shown) {
    super();
    this.shown = shown;
  }

  send(text) {
    const id = `preview ${this.shown.length}`;
    this.shown.push({ id, clientId: id, seq: this.shown.length, author: 'visitor', text });
    this.dispatchEvent(new Event('change'));
  }

  remove(removed) {
    this.shown = this.shown.filter(({ id }) => id !== removed);
    this.dispatchEvent(new Event('change'));
  }

  fileOf() {}
  identify() {}
  markRead() {}
}

const ground = sheetOf('html { background: #fff; } html[data-dark] { background: #0b0d10; }');
document.adoptedStyleSheets = [ground];

const limits = { textLength: 1000, fileBytes: 0 };
let client = new PreviewClient([]);
let chat;
let isOpen = true;
let isSettled = false;

/** Shows the chat anew with this look and these words, as it was: open or closed. */
async function show({ theme, words, hours, mail, language }) {
  if (isSettled) isOpen = chat.host.hasAttribute('data-open');
  isSettled = false;
  chat?.host.remove();
  client = new PreviewClient(client.shown);
  const data = language ? { lang: language } : {};
  const own = showChat({
    settings: { theme, words, hours, mail, limits },
    data,
    connect: () => client,
    isPreview: true,
  });
  chat = own;
  const dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  const { appearance = 'auto' } = theme;
  document.documentElement.toggleAttribute('data-dark', appearance === 'auto' ? dark : appearance === 'dark');
  if (isOpen) await own.api.open();
  if (chat === own) isSettled = true;
}

window.addEventListener('message', ({ origin, source, data }) => {
  if (origin === window.location.origin && source === window.parent) void show(data);
});
window.parent.postMessage('ready', window.location.origin);
