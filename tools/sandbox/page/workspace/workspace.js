/** The page of the Slack workspace: its app, its channels, and what people write there. */
import { startComposing, startLoading, tryTo } from '/conversation.js';
import { avatar, button, byId, element } from '/dom.js';
import { startTheme } from '/head.js';
import { formatted, slackMarks } from '/inline.js';
import { getJson, postJson } from '/state.js';

const page = { workspace: undefined, channelId: undefined, personId: undefined, threadTs: undefined };

const me = () => page.workspace.people.find(({ id }) => id === page.personId);
const mine = () => page.workspace.channels.filter(({ members }) => members.includes(page.personId));
const openChannel = () => mine().find(({ id }) => id === page.channelId);
const titleOf = ({ kind, name }) => (kind === 'im' ? 'Botyard' : `#${name}`);
const nameOf = (userId) => page.workspace.people.find(({ id }) => id === userId)?.name ?? 'Botyard';

function showApp() {
  const { botToken, signingSecret, requestUrl, isRevoked } = page.workspace.app;
  byId('token').textContent = botToken;
  byId('secret').textContent = signingSecret;
  if (requestUrl !== null && byId('url').value === '') byId('url').value = requestUrl;
  const isConnected = requestUrl !== null && !isRevoked;
  byId('state').textContent = isRevoked
    ? 'The app was removed from the workspace.'
    : isConnected
      ? `Events go to ${requestUrl}`
      : 'No address is verified yet.';
  byId('removal').textContent = isRevoked ? 'Install the app again' : 'Remove the app from the workspace';
  byId('removal').hidden = requestUrl === null;
}

function showChannels() {
  byId('me-avatar').replaceChildren(avatar(me().name, me().name.length));
  byId('me-name').textContent = me().name;
  const rows = mine().map((channel) => {
    const row = button({ onClick: () => open(channel.id) }, element('b', '', titleOf(channel)));
    if (channel.id === page.channelId) row.setAttribute('aria-current', 'true');
    return element('li', 'slack-channel', row);
  });
  const app = button({ onClick: () => open(undefined) }, element('b', '', 'The app'));
  if (page.channelId === undefined) app.setAttribute('aria-current', 'true');
  byId('channels').replaceChildren(element('li', 'slack-channel', app), ...rows);
}

/** Answers stand beneath the message that begins their thread. */
function inThreads(messages) {
  const roots = messages.filter(({ threadTs, ts }) => threadTs === undefined || threadTs === ts);
  const isAnswer = (root) => (one) => one.threadTs === root.ts && one.ts !== root.ts;
  return roots.flatMap((root) => [root, ...messages.filter(isAnswer(root))]);
}

function lineOf(message) {
  const { ts, threadTs, user, text } = message;
  const head = element('p', 'slack-head', element('b', '', nameOf(user)));
  head.append(element('time', '', new Date(Number(ts) * 1000).toLocaleTimeString()));
  const root = threadTs ?? ts;
  head.append(button({ label: 'Answer in the thread', onClick: () => enterThread(root) }, '↳'));
  const shown = text.replaceAll(`<@${page.workspace.app.botUserId}>`, '@Botyard');
  const words = element('div', 'slack-text', ...formatted(shown, slackMarks));
  const isAnswer = threadTs !== undefined && threadTs !== ts;
  return element(
    'li',
    isAnswer ? 'slack-message in-thread' : 'slack-message',
    head,
    words,
    ...buttonsOf(message),
    ...thumbsOf(message),
  );
}

/** Reactions to messages of the app, with how many people have each. */
function thumbsOf({ ts, user, reactions }) {
  if (user !== page.workspace.app.botUserId) return [];
  const thumbs = [
    ['+1', '👍', 'Thumb up'],
    ['-1', '👎', 'Thumb down'],
  ].map(([reaction, emoji, label]) => {
    const people = reactions[reaction] ?? [];
    const isAdded = !people.includes(page.personId);
    const shown = people.length === 0 ? emoji : `${emoji} ${people.length}`;
    const thumb = button(
      { className: 'slack-button', label, onClick: () => react(ts, reaction, isAdded) },
      shown,
    );
    thumb.setAttribute('aria-pressed', String(!isAdded));
    return thumb;
  });
  return [element('div', 'slack-buttons', ...thumbs)];
}

const react = (ts, reaction, isAdded) => {
  const { channelId, personId } = page;
  return tryTo(() => postJson('/api/slack/reactions', { channelId, personId, ts, reaction, isAdded }));
};

function buttonsOf({ ts, buttons }) {
  if (buttons.length === 0) return [];
  const rows = buttons.map((label) =>
    button({ className: 'slack-button', onClick: () => press(ts, label) }, label),
  );
  return [element('div', 'slack-buttons', ...rows)];
}

const press = (ts, label) =>
  tryTo(() =>
    postJson('/api/slack/presses', { channelId: page.channelId, personId: page.personId, ts, label }),
  );

function showConversation() {
  const channel = openChannel();
  byId('connect').hidden = channel !== undefined;
  byId('conversation').hidden = channel === undefined;
  if (channel === undefined) return;
  byId('channel-name').textContent = titleOf(channel);
  byId('channel-hint').textContent =
    channel.kind === 'im' ? 'Direct messages' : 'Write @Botyard to call the bot, or /botyard and a question';
  byId('messages').replaceChildren(...inThreads(channel.messages).map(lineOf));
  byId('purpose').hidden = page.threadTs === undefined;
  byId('scroll').scrollTop = byId('scroll').scrollHeight;
}

function enterThread(ts) {
  page.threadTs = ts;
  showConversation();
  byId('text').focus();
}

function show() {
  showApp();
  showChannels();
  showConversation();
}

function open(channelId) {
  Object.assign(page, { channelId, threadTs: undefined });
  document.body.dataset.view = channelId === undefined ? 'list' : 'chat';
  show();
}

async function load() {
  page.workspace = await getJson('/api/slack');
  if (page.personId === undefined) {
    page.personId = page.workspace.people[0].id;
    const isConnected = page.workspace.app.requestUrl !== null && !page.workspace.app.isRevoked;
    if (isConnected) page.channelId = mine().find(({ kind }) => kind === 'im')?.id;
  }
  show();
}

function post(text) {
  const { channelId, personId, threadTs } = page;
  const command = /^\/botyard(?:\s+([\s\S]*))?$/.exec(text);
  const said = text.replaceAll('@Botyard', `<@${page.workspace.app.botUserId}>`);
  return command
    ? postJson('/api/slack/commands', { channelId, personId, text: command[1] ?? '' })
    : postJson('/api/slack/messages', { channelId, personId, text: said, threadTs });
}

startComposing(post);

byId('address').addEventListener('submit', (event) => {
  event.preventDefault();
  void tryTo(() => postJson('/api/slack/address', { url: byId('url').value }));
});
byId('removal').addEventListener('click', () =>
  tryTo(() => postJson(`/api/slack/${page.workspace.app.isRevoked ? 'install' : 'uninstall'}`)),
);
byId('purpose-end').addEventListener('click', () => enterThread(undefined));
byId('back').addEventListener('click', () => open(undefined));
byId('me').addEventListener('click', () => {
  const { people } = page.workspace;
  const at = people.findIndex(({ id }) => id === page.personId);
  page.personId = people[(at + 1) % people.length].id;
  open(openChannel()?.id);
});

startTheme();
startLoading('slack', load);
