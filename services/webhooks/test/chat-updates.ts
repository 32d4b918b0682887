import { randomInt } from 'node:crypto';

/** Updates as the platform sends them, about a bot that it knows by this number. */
const nextId = () => randomInt(1, 2 ** 40);
export const person = { id: 5512345678, is_bot: false, first_name: 'Anna' };

export const newGroupId = () => -randomInt(1_000_000, 2 ** 31);
/** The number of the supergroup that a group becomes here. */
export const supergroupOf = (groupId: number) => -1_000_000_000_000 + groupId;

const chatOf = (id: number) =>
  id > 0
    ? { id, type: 'private', first_name: 'Anna' }
    : { id, type: id > -1_000_000_000_000 ? 'group' : 'supergroup', title: 'Friends' };

/** A message that names the bot, so that it is addressed to the bot in groups too. */
export function sayTo(username: string, chatId: number, text: string, change: Record<string, unknown> = {}) {
  const name = `@${username}`;
  const entities = [{ type: 'mention', offset: 0, length: name.length }];
  const content = chatId > 0 ? { text } : { text: `${name} ${text}`, entities };
  return { update_id: nextId(), message: { ...messageIn(chatId), ...content, ...change } };
}

export function editOf(said: ReturnType<typeof sayTo>, text: string, editDate = 1_795_200_060) {
  const { entities: _entities, ...message } = said.message as Record<string, unknown>;
  return { update_id: nextId(), edited_message: { ...message, text, edit_date: editDate } };
}

export function pressIn(chatId: number, data: string, change: Record<string, unknown> = {}) {
  const id = String(nextId());
  const message = { ...messageIn(chatId), from: { id: 1, is_bot: true, first_name: 'Bot' }, text: 'More?' };
  const callback_query = { id, from: person, chat_instance: '1', message, data, ...change };
  return { update_id: nextId(), callback_query };
}

export function membershipIn(platformBotId: number, chatId: number, status: string, date = 1_795_200_000) {
  const user = { id: platformBotId, is_bot: true, first_name: 'Bot' };
  const my_chat_member = {
    chat: chatOf(chatId),
    from: person,
    date,
    old_chat_member: { user, status: 'member' },
    new_chat_member: { user, status },
  };
  return { update_id: nextId(), my_chat_member };
}

/** The two updates about a migration, one from each chat. */
export const migrationOf = (groupId: number) => ({
  to: {
    update_id: nextId(),
    message: { ...messageIn(groupId), migrate_to_chat_id: supergroupOf(groupId) },
  },
  from: {
    update_id: nextId(),
    message: { ...messageIn(supergroupOf(groupId)), migrate_from_chat_id: groupId },
  },
});

const messageIn = (chatId: number): Record<string, unknown> => ({
  message_id: nextId(),
  from: person,
  chat: chatOf(chatId),
  date: 1_795_200_000,
});
