import type { LauncherProcess, RunFile } from '../../../test/e2e/launcher-process.ts';

const messagesInChat = 10;

const uuid = (kind: string, number: string) =>
  `('0192${kind}-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const everyMessage = `generate_series(0, ${messagesInChat - 1}) m`;

/** Writes answered chats of the demo bot, each with ten messages. The numbers go from `from` to `to`, `to` excluded. */
export async function plantChats(
  launcher: LauncherProcess,
  { tenantId, botId, integrationId }: NonNullable<RunFile['demoBot']>,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (to <= from) return;
  const everyChat = `generate_series(${from}, ${to - 1}) n`;
  await launcher.asOwner(
    `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place,
         next_seq, last_seq, created_at, last_message_at)
     select '${tenantId}', ${uuid('0001', 'n')}, ${uuid('0002', 'n')}, '${botId}', '${integrationId}', 'messenger',
       jsonb_build_object('kind', 'private', 'title', 'Person ' || n, 'platformChatId', (8000000000 + n)::text),
       ${messagesInChat} + 1, ${messagesInChat}, now() - interval '9 days', now() - n * interval '1 minute'
     from ${everyChat};
     insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, sender,
         received_at, created_at)
     select '${tenantId}', ${uuid('0003', `n * ${messagesInChat} + m`)}, ${uuid('0001', 'n')},
       case m % 2 when 0 then 'in' else 'out' end, m + 1, 'Message ' || m || ': ' || repeat(md5(n::text), 3), 'text',
       case m % 2 when 0 then 'answered' else 'sent' end,
       case m % 2 when 0 then jsonb_build_object('platformUserId', (8000000000 + n)::text, 'name', 'Person ' || n) end,
       now() - n * interval '1 minute', now() - n * interval '1 minute' - (${messagesInChat} - m) * interval '1 second'
     from ${everyChat}, ${everyMessage};
     insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name)
     select '${tenantId}', ${uuid('0001', 'n')}, ${uuid('0004', 'n')}, 'messenger', (8000000000 + n)::text, 'Person ' || n
     from ${everyChat}`,
  );
  await launcher.asOwner('vacuum analyze');
}
