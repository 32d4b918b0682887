/** The sandbox's people, and the initial chats of every bot. */
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import { openTopic } from '@botyard/testing/messenger/chat-events';
import { chatOf } from '@botyard/testing/messenger/chats';
import type { Bot, Chat, PlatformUser } from '@botyard/testing/messenger/types';

/** The first person is the page's default author. */
export const chatPeople: readonly PlatformUser[] = [
  { id: 700_000_001, is_bot: false, first_name: 'Sam', username: 'sam_sandbox', language_code: 'en' },
  { id: 700_000_011, is_bot: false, first_name: 'Anna', last_name: 'Keller', username: 'anna_keller' },
  { id: 700_000_012, is_bot: false, first_name: 'Ravi', username: 'ravi', language_code: 'en' },
  { id: 700_000_015, is_bot: false, first_name: 'Олег', language_code: 'ru' },
];

const groupId = -700_000_100;
const forumId = -1_000_700_000_200;
const topics = ['Support', 'Releases'];

/** Returns the bot's chats. Creates a group, a forum and this person's private chat if they are missing. */
export function chatsOf(messenger: FakeMessenger, bot: Bot, personId: number): Chat[] {
  chatOf(bot, personId);
  if (!bot.chats.has(String(groupId))) chatOf(bot, groupId, { title: 'Harbour crew' });
  if (!bot.chats.has(String(forumId))) openForum(messenger, bot);
  return [...bot.chats.values()].filter(
    ({ about, refusal }) =>
      (about.type !== 'private' || about.id === personId) && refusal?.migratedTo === undefined,
  );
}

/** Creates a group with all these people and the bot. */
export function openGroup(messenger: FakeMessenger, bot: Bot, title: string): Chat {
  const lowest = Math.min(groupId, ...[...bot.chats.values()].map(({ about }) => smallGroupId(about.id)));
  const chat = chatOf(bot, lowest - 1, { title });
  messenger.emit({ type: 'chat', botId: bot.id, chatId: String(chat.about.id) });
  return chat;
}

function openForum(messenger: FakeMessenger, bot: Bot): void {
  const from = chatPeople[0] as PlatformUser;
  chatOf(bot, forumId, { title: 'Harbour forum', is_forum: true });
  for (const name of topics) openTopic(messenger, { botToken: bot.token, chatId: forumId, from, name });
}

/** Returns a group's number. A supergroup's number contains the number of its former group, which is never reused. */
function smallGroupId(id: number | string): number {
  const number = Number(id);
  if (!(number < 0) || number === forumId) return 0;
  return number <= -1_000_000_000_000 ? number + 1_000_000_000_000 : number;
}
