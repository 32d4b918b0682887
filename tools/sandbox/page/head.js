/** The header of the open chat and its menu, the choice of the acting person, and the color theme. */
import { kindOf, pictureId, titleOf, topicName } from './chat-list.js';
import { avatar, byId, fillMenu, openMenu, toast } from './dom.js';
import { chatPath, openBot, openChat, postJson, state } from './state.js';

export function showHead() {
  const bot = openBot();
  const chat = openChat();
  if (bot === undefined || chat === undefined) return;
  const { threadId } = state.open;
  const isForum = kindOf(chat) === 'forum';
  const title = isForum ? topicName(chat, threadId) : titleOf(bot, chat);
  const picture = isForum
    ? avatar(title, threadId ?? 1, 'topic')
    : avatar(title, pictureId(bot, chat), kindOf(chat));
  byId('avatar').replaceChildren(picture);
  byId('chat-name').textContent = title;
  byId('chat-state').textContent = stateOf(bot, chat, isForum);
  byId('blocked').hidden = !(chat.kind === 'private' && !chat.isMember);
  byId('compose').hidden = !byId('blocked').hidden;
  byId('text').placeholder = chat.kind === 'private' ? 'Message' : 'Message, @ to ask the bot';
}

function stateOf(bot, chat, isForum) {
  if (!bot.isConnected) return 'not connected: no webhook, and no polling for updates';
  const undelivered = state.entries.filter(({ delivery }) => /queued|retrying/.test(delivery?.state)).length;
  const waiting = undelivered > 1 ? ` · ${undelivered} waiting` : '';
  if (chat.kind === 'private') return `@${bot.username}${waiting}`;
  const members = `${state.people.length + (chat.isMember ? 1 : 0)} members`;
  const where = isForum ? `Topic of ${chat.title}` : { group: 'Group', supergroup: 'Supergroup' }[chat.kind];
  return `${where} · ${members}${chat.isMember ? '' : ', the bot was removed'}${waiting}`;
}

/** @param {(place: object) => void} onMove called if another chat replaces the open one */
export function openChatMenu(onMove) {
  const bot = openBot();
  const chat = openChat();
  const isPrivate = chat.kind === 'private';
  const verbs = isPrivate ? ['Unblock the bot', 'Block the bot'] : ['Add the bot again', 'Remove the bot'];
  const rows = [
    {
      text: verbs[chat.isMember ? 1 : 0],
      hint: chat.isMember ? 'Its messages are rejected with 403' : 'It can write again',
      isDanger: chat.isMember,
      onClick: () => setMember(!chat.isMember),
    },
  ];
  if (chat.kind === 'group' && chat.isMember)
    rows.push({
      text: 'Convert to a supergroup',
      hint: 'The chat gets a new number, as on the real platform',
      onClick: async () => {
        const moved = await attempt(() => postJson(chatPath('migration'), { personId: state.me.id }));
        if (moved) onMove({ botId: bot.botId, chatId: moved.chatId, threadId: undefined });
      },
    });
  rows.push({
    text: 'New group',
    hint: `With @${bot.username} and everyone in it`,
    onClick: async () => {
      const title = `Group ${new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}`;
      const made = await attempt(() => postJson(`/api/bots/${bot.botId}/chats`, { title }));
      if (made) onMove({ botId: bot.botId, chatId: made.chatId, threadId: undefined });
    },
  });
  fillMenu(byId('chat-menu'), rows);
  openMenu(byId('chat-menu'), byId('more'));
}

export function setMember(isMember) {
  return attempt(() => postJson(chatPath('membership'), { isMember, personId: state.me.id }));
}

async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    toast(error.isRefusal ? error.message : 'The sandbox does not respond');
    return undefined;
  }
}

/** @param {(person: object) => void} onChoose */
export function showMe(onChoose) {
  const { me, people } = state;
  byId('me-avatar').replaceChildren(avatar(me.first_name, me.id));
  byId('me-name').textContent = me.first_name;
  const rows = people.map((person) => ({
    text: [person.first_name, person.last_name].filter(Boolean).join(' '),
    hint: person.username ? `@${person.username}` : 'no username',
    isChosen: person.id === me.id,
    picture: avatar(person.first_name, person.id),
    onClick: () => onChoose(person),
  }));
  byId('me').onclick = () => {
    fillMenu(byId('me-menu'), rows);
    openMenu(byId('me-menu'), byId('me'));
  };
}

/** Applies the theme. The browser stores the choice; it defaults to the system's theme. */
export function startTheme() {
  const root = document.documentElement;
  root.dataset.theme = localStorage.getItem('theme') ?? '';
  byId('theme').addEventListener('click', () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
    localStorage.setItem('theme', root.dataset.theme);
  });
}
