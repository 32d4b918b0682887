import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import type pg from 'pg';

interface OldMessages {
  tenantId: string;
  count: number;
  /** The number of messages per chat. */
  inChat?: number;
  /** The first eight hexadecimal digits of the rows' identifiers, different for each tenant. */
  idPrefix?: string;
}

/** The number of chats that are active at the same time, so the messages of different chats are interleaved. */
const atOnce = 100;

/**
 * Returns the messenger ID of a chat's writer. Every tenth chat is a group in which the writers of ten chats write.
 */
export const numberOf = (chat: number): string => String(5_000_000_000 + chat);

const usualPrefix = '01920000';

/** Returns SQL for the identifier of the chat with this number. */
const conversationOf = (chat: string, prefix = usualPrefix) => idOf(prefix, '0001', chat);

const idOf = (prefix: string, kind: string, n: string) =>
  `('${prefix}-${kind}-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/** Writes settled messages of last year with their chats and people. The newest has the greatest identifier. */
export async function writeOldMessages(
  owner: pg.Client,
  { tenantId, count, inChat = 500, idPrefix = usualPrefix }: OldMessages,
): Promise<void> {
  const uuid = (kind: string, n: string) => idOf(idPrefix, kind, n);
  const chats = Math.max(10, Math.ceil(count / inChat));
  const open = Math.min(atOnce, chats);
  const chat = `((n / ${inChat * open}) * ${open} + n % ${open})`;
  await owner.query(
    `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place, next_seq, last_seq,
         created_at, last_message_at)
     select $1::uuid, ${uuid('0001', 'n')}, ${uuid('0002', 'n')}, $1::uuid, $1::uuid, 'messenger', jsonb_build_object(
         'kind', case n % 10 when 0 then 'group' else 'private' end, 'title', 'Chat ' || n,
         'platformChatId', case n % 10 when 0 then '-' else '' end || (5000000000 + n)), ${inChat} + 1, ${inChat},
         timestamptz '2025-01-01' + n * interval '1 minute', timestamptz '2025-02-01' + n * 7919 % ${chats} * interval '1 minute'
     from generate_series(0, ${chats - 1}) n`,
    [tenantId],
  );
  const person = `(5000000000 + case ${chat} % 10 when 0 then ${chat} + (n / ${open}) % 10 else ${chat} end)`;
  await owner.query(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, sender, received_at, created_at)
     select $1::uuid, ${uuid('0003', 'n')}, ${uuid('0001', chat)}, case n / ${open} % 2 when 0 then 'in' else 'out' end,
       (n / ${open}) % ${inChat} + 1, 'Message ' || n || ': ' || repeat(md5(n::text), 3), 'text',
       case n / ${open} % 2 when 0 then 'answered' else 'sent' end,
       case n / ${open} % 2 when 0 then jsonb_build_object('platformUserId', ${person}::text, 'name', 'Person ' || ${person}) end, at, at
     from (select n, timestamptz '2025-01-01' + n * interval '10 seconds' as at from generate_series(0, ${count - 1}) n) old`,
    [tenantId],
  );
  await writePeople(owner, { tenantId, chats, idPrefix });
  for (const table of ['conversations', 'messages', 'people'])
    await owner.query(`vacuum analyze agents.${table}`);
}

/** Writes the people. Their hashed identifiers can't be computed in SQL. */
async function writePeople(
  owner: pg.Client,
  { tenantId, chats, idPrefix }: { tenantId: string; chats: number; idPrefix: string },
): Promise<void> {
  const people = Array.from({ length: chats + 10 }, (_, n) => numberOf(n));
  const ids = people.map((platformUserId) =>
    personIdOfAccount(tenantId, { platform: 'messenger', platformUserId }),
  );
  await owner.query(
    `insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name, first_seen_at, last_seen_at)
     select $1::uuid, ${conversationOf('chat', idPrefix)}, ($2::uuid[])[who + 1], 'messenger', ($3::text[])[who + 1], 'Person', '2025-01-01', '2025-12-31'
     from (select n as chat, case n % 10 when 0 then n + more else n end as who
       from generate_series(0, ${chats - 1}) n, generate_series(0, 9) more where n % 10 = 0 or more = 0) talk`,
    [tenantId, ids, people],
  );
}

/** Writes a current message to a chat, with the rows that the service writes for a message. */
export async function writeOne(owner: pg.Client, { tenantId }: Pick<OldMessages, 'tenantId'>): Promise<void> {
  await owner.query({
    name: 'bench.message',
    text: `with chat as (update agents.conversations set last_message_at = now(), next_reply_seq = next_reply_seq + 1 where tenant_id = $1
             and conversation_id = ${conversationOf('2')} returning conversation_id, next_reply_seq)
           insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
           select $1, gen_random_uuid(), conversation_id, 'out', 1000000 + next_reply_seq, 'now', 'text', 'sent', now() from chat`,
    values: [tenantId],
  });
}
