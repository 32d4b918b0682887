import { z } from 'zod';
import { loose } from '../../domain/fields.ts';
import type { ReadMembership, ReadMigration } from '../../domain/read-delivery.ts';
import type { OwnBot } from './connection.ts';
import { Chat } from './update.ts';

const Member = z.object({
  user: z.object({ id: z.number().int() }),
  status: z.string(),
  is_member: loose(z.boolean()),
  can_send_messages: loose(z.boolean()),
});

const MyChatMember = z.object({
  chat: Chat,
  date: loose(z.number().int().nonnegative()),
  new_chat_member: Member,
});

/** Reads `my_chat_member`. In private it is sent when a person blocks or unblocks the bot. */
export function readMembership(
  raw: unknown,
  bot: OwnBot,
): { membership: ReadMembership } | { ignored: string } {
  const parsed = MyChatMember.safeParse(raw);
  if (!parsed.success) return { ignored: 'unreadable my_chat_member' };
  const { chat, date, new_chat_member: member } = parsed.data;
  if (String(member.user.id) !== bot.platformBotId) return { ignored: "another member's change" };
  const reason = whyBlocked(member, chat.type === 'private');
  const state = reason ? 'blocked' : 'active';
  const membership = { platformChatId: String(chat.id), happenedAt: date ?? 0, state } as const;
  return { membership: reason ? { ...membership, reason } : membership };
}

function whyBlocked(member: z.output<typeof Member>, isPrivate: boolean): string | undefined {
  switch (member.status) {
    case 'kicked':
      return isPrivate ? 'the person blocked the bot' : 'the bot was removed from the chat';
    case 'left':
      return 'the bot left the chat';
    case 'restricted':
      if (member.is_member === false) return 'the bot left the chat';
      return member.can_send_messages === false ? 'the bot may not write in the chat' : undefined;
    default:
      return undefined;
  }
}

/**
 * Reads a group's migration from its message in the old or in the new group. Only a basic group becomes a supergroup,
 * so other pairs of chat ids are not a migration.
 */
export function readMigration(raw: Readonly<Record<string, unknown>>): ReadMigration | undefined {
  const { chat, migrate_to_chat_id: to, migrate_from_chat_id: from } = raw;
  const here = (chat as { id?: unknown } | null | undefined)?.id;
  if (isGroup(here) && isSupergroup(to)) return { fromChatId: String(here), toChatId: String(to) };
  if (isGroup(from) && isSupergroup(here)) return { fromChatId: String(from), toChatId: String(here) };
  return undefined;
}

/** The ids of supergroups and channels are -1000000000000 and below, those of groups between that and 0. */
const firstSupergroup = -1_000_000_000_000;
const isGroup = (id: unknown): boolean =>
  Number.isSafeInteger(id) && Number(id) < 0 && Number(id) > firstSupergroup;
const isSupergroup = (id: unknown): boolean => Number.isSafeInteger(id) && Number(id) <= firstSupergroup;

/** Whether a chat with the first id can have become one with the second. */
export const isMigration = (fromChatId: string, toChatId: string): boolean =>
  isGroup(Number(fromChatId)) && isSupergroup(Number(toChatId));

/** Whether a chat may have had another id before, judging by its id. */
export const mayComeFromAnother = (platformChatId: string): boolean => isSupergroup(Number(platformChatId));
