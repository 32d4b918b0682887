import { Client } from './client.js';
import { element, icon } from './dom.js';
import { directionOf, labelsFor, ownWords } from './languages.js';
import { buttonStyles, sheetOf } from './styles.js';

const usualColor = '#1d4ed8';

/** Shows the button, and the window when it is opened. Makes the functions of `window.Botyard` work. */
export async function start({ origin, calls, data }) {
  const bot = (data.bot ?? '').toLowerCase();
  const settings = await readSettings(origin, bot);
  if (!settings) return;
  await untilBody();
  const { client, api, language, own } = showChat({
    settings,
    data,
    connect: (language) => new Client({ origin, bot, language }),
  });
  window.Botyard = Object.freeze(api);
  for (const [name, args] of calls) api[name](...args);
  client.connect();
  if (data.page !== undefined) {
    document.documentElement.lang = language;
    document.title = own.title ?? 'Chat';
    await api.open();
  }
}

/** The button and the window for a client. A preview leaves the focus where it is. */
export function showChat({ settings, data, connect, isPreview = false }) {
  const languages = [data.lang, document.documentElement.lang, ...navigator.languages].filter(Boolean);
  const own = ownWords(settings.words, data.lang ? [data.lang] : [...navigator.languages]);
  const language = data.lang ?? own.language ?? navigator.language ?? 'en';
  const labels = labelsFor([language, ...languages]);
  const isPage = data.page !== undefined;
  const client = connect(language);
  const host = createHost(settings.theme, { language, isPage });
  const root = host.attachShadow({ mode: 'open' });
  const styles = sheetOf(buttonStyles);
  root.adoptedStyleSheets = [styles];
  const count = element('span', { class: 'count', hidden: true });
  const launcher = element(
    'button',
    { class: 'launcher', type: 'button', 'aria-label': labels.open },
    icon('chat'),
    count,
  );
  if (!isPage) root.append(launcher);
  document.body.append(host);
  staysOnPage(host);
  let opened;
  const load = () => {
    opened ??= import('./window.js').then(({ createWindow }) =>
      createWindow({
        root,
        host,
        launcher,
        client,
        own,
        isPage,
        isPreview,
        languages: [language, ...languages],
        limits: settings.limits,
        hours: settings.hours,
        mail: settings.mail,
        thumbs: settings.thumbs,
        styles,
      }),
    );
    return opened;
  };
  const api = {
    open: async () => (await load()).open(),
    close: async () => (await opened)?.close(),
    identify: (identity) => client.identify(identity),
  };
  launcher.addEventListener('click', async () => {
    const shown = await load();
    if (shown.isOpen) shown.close();
    else shown.open();
  });
  client.addEventListener('change', () => showCount(count, launcher, client.unread, labels));
  showCount(count, launcher, client.unread, labels);
  return { client, api, language, own, host };
}

/** A script in the head may run long before the page has a body. */
async function untilBody() {
  if (document.body) return;
  await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
}

/** Sites that change pages without a reload replace the body: the chat goes on in the new one. */
function staysOnPage(host) {
  new MutationObserver(() => {
    if (!host.isConnected) document.body?.append(host);
  }).observe(document.documentElement, { childList: true });
}

async function readSettings(origin, bot) {
  const answer = await fetch(`${origin}/chat/${bot}/settings.json`, { credentials: 'omit' }).catch(
    () => undefined,
  );
  return answer?.ok ? await answer.json() : undefined;
}

function createHost({ color = usualColor, position = 'right', appearance = 'auto' }, { language, isPage }) {
  const host = element('div', {
    'data-position': position,
    'data-page': isPage,
    lang: language,
    dir: directionOf(language),
    'data-botyard': true,
    // Turbo keeps such elements when it changes a page piece by piece.
    id: 'botyard-chat',
    'data-turbo-permanent': true,
  });
  host.style.setProperty('--accent', color);
  host.style.setProperty('--on-accent', isLight(color) ? '#000' : '#fff');
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const show = () =>
    host.toggleAttribute('data-dark', appearance === 'auto' ? dark.matches : appearance === 'dark');
  dark.addEventListener('change', show);
  show();
  return host;
}

/** Whether black is easier to read on a color than white, by the contrast of WCAG. */
function isLight(color) {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}

function showCount(count, launcher, unread, labels) {
  count.hidden = unread === 0;
  count.textContent = unread > 9 ? '9+' : String(unread);
  launcher.setAttribute(
    'aria-label',
    unread === 0 ? labels.open : `${labels.open}. ${labels.unread}: ${unread}`,
  );
}
