/** The list of chats, grouped by bot, with the topics of forums below them. */
import { avatar, button, element, timeOf } from './dom.js';
import { textOf } from './message-view.js';
import { keyOf, state } from './state.js';

export const titleOf = (bot, chat) => (chat.kind === 'private' ? bot.name : chat.title);
export const topicName = (chat, threadId) =>
  chat.topics.find((topic) => topic.threadId === threadId)?.name ?? 'General';
export const kindOf = ({ kind, topics }) =>
  kind === 'private' ? 'bot' : topics.length > 0 ? 'forum' : 'group';

/** @param {(place: object) => void} onOpen */
export function chatItems(onOpen) {
  return state.bots.flatMap((bot) => {
    const chats = state.chats.get(bot.botId) ?? [];
    const rows = chats.flatMap((chat) => rowsOf(bot, chat, onOpen));
    return state.bots.length > 1 ? [botHead(bot), ...rows] : rows;
  });
}

function botHead(bot) {
  return element('li', 'bot-head', element('b', '', bot.name), element('small', '', `@${bot.username}`));
}

function rowsOf(bot, chat, onOpen) {
  const place = { botId: bot.botId, chatId: chat.chatId, threadId: undefined };
  const title = titleOf(bot, chat);
  const kind = kindOf(chat);
  if (kind !== 'forum')
    return [row({ bot, chat, place, title, picture: avatar(title, pictureId(bot, chat), kind), onOpen })];
  const head = element(
    'li',
    'forum-head',
    avatar(title, pictureId(bot, chat), kind),
    element('span', 'who', element('b', '', title), element('small', '', 'Forum')),
  );
  const topics = [{ threadId: undefined, name: 'General' }, ...chat.topics];
  const below = topics.map(({ threadId, name }) => {
    const picture = avatar(name, threadId ?? 1, 'topic');
    return row({ bot, chat, place: { ...place, threadId }, title: name, picture, onOpen, isTopic: true });
  });
  return [head, ...below];
}

export const pictureId = (bot, chat) => (chat.kind === 'private' ? bot.botId : chat.chatId);

function row({ bot, chat, place, title, picture, onOpen, isTopic = false }) {
  const last = chat.last.find((entry) => entry.threadId === place.threadId);
  const unread = state.unread.get(keyOf(place)) ?? 0;
  const top = element('span', 'top', element('b', '', title));
  if (last !== undefined) top.append(element('time', '', timeOf(last.sentAt)));
  const bottom = element('span', 'bottom', element('small', '', previewOf(bot, chat, last)));
  if (unread > 0) bottom.append(count(unread));
  const made = button(
    { className: isTopic ? 'chat-row topic-row' : 'chat-row', onClick: () => onOpen(place) },
    picture,
    element('span', 'who', top, bottom),
  );
  if (state.open !== undefined && keyOf(place) === keyOf(state.open))
    made.setAttribute('aria-current', 'true');
  if (!bot.isConnected || !chat.isMember) made.classList.add('away');
  return element('li', '', made);
}

function count(unread) {
  const badge = element('span', 'unread', String(unread));
  badge.setAttribute('aria-label', `${unread} unread`);
  return badge;
}

function previewOf(bot, chat, last) {
  if (!bot.isConnected) return 'not connected';
  if (last === undefined) return chat.kind === 'private' ? `@${bot.username}` : 'No messages yet';
  if (last.isEvent) return last.text;
  const isOwn = last.direction === 'in' && last.fromId === state.me.id;
  const who = chat.kind === 'private' ? (isOwn ? 'You: ' : '') : `${isOwn ? 'You' : last.from}: `;
  return `${who}${textOf(last)}`;
}
