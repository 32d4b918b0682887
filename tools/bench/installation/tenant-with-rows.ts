import type pg from 'pg';
import { writeOldMessages } from './old-messages.ts';

/** The number of rows of each kind. */
export interface Rows {
  chats: number;
  messages: number;
  agents: number;
  edges: number;
  members: number;
}

export interface TenantWithRows {
  tenantId: string;
  /** One of the chats and one of the agents. */
  chatId: string;
  agentId: string;
}

/** Half of a tenant's messages are questions. Each question has a turn and an entry in the usage log. */
const turns = `select n, timestamptz '2025-01-01' + n * interval '20 seconds' as at from generate_series(0, $3 / 2 - 1) n`;

/** Fills a tenant. `idPrefix` is the first eight hexadecimal digits of its rows' identifiers. */
export async function writeTenantRows(
  owner: pg.Client,
  { tenantId, idPrefix, rows }: { tenantId: string; idPrefix: string; rows: Rows },
): Promise<TenantWithRows> {
  const idOf = (kind: string, n: string) =>
    `('${idPrefix}-${kind}-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
  const { chats, messages, agents, edges, members } = rows;
  await writeOldMessages(owner, { tenantId, count: messages, inChat: messages / chats, idPrefix });
  await owner.query('begin');
  await owner.query(
    `insert into agents.agent_definitions (tenant_id, id, name, description, instructions, provider, model, keywords, created_at)
     select $1::uuid, ${idOf('0005', 'n')}, 'Agent ' || lpad(n::text, 4, '0'), 'Answers questions of kind ' || n, repeat('Answer in two sentences. ', 20), 'openai',
       'model-' || n % 4, array['word' || n], timestamptz '2025-01-01' + n * interval '1 minute' from generate_series(0, $2::int - 1) n`,
    [tenantId, agents],
  );
  await owner.query(
    `insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, agent_id, outcome, key_source, context_messages,
       provider, model, input_tokens, output_tokens, is_estimated, duration_ms, created_at)
     select $1::uuid, ${idOf('0006', 'n')}, ${idOf('0001', 'n % $2')}, array[${idOf('0003', 'n')}], ${idOf('0003', 'n')},
       ${idOf('0005', 'n % 5')}, 'answered', 'platform', 4, 'openai', 'model', 900, 80, false, 1200, at from (${turns}) t`,
    [tenantId, chats, messages],
  );
  await owner.query(
    `insert into usage.log_entries (tenant_id, turn_id, conversation_id, bot_id, agent_id, provider, model, key_source, outcome,
       input_tokens, output_tokens, tool_calls, is_estimated, duration_ms, completed_at)
     select $1::uuid, ${idOf('0006', 'n')}, ${idOf('0001', 'n % $2')}, $1::uuid, ${idOf('0005', 'n % 5')}, 'openai', 'model', 'platform',
       'answered', 900, 80, 0, false, 1200, at from (${turns}) t`,
    [tenantId, chats, messages],
  );
  await owner.query(
    `insert into tenancy.edges (tenant_id, edge_id, subject_type, subject_id, subject_relation, relation, object_type, object_id)
     select $1::uuid, ${idOf('0007', 'n')}, 'group', 'from' || n % ($2::int / 100), 'member', 'member', 'group', 'to' || n
     from generate_series(0, $2::int - 1) n`,
    [tenantId, edges],
  );
  await owner.query(
    `insert into tenancy.users (user_id, idp_user_id, name, email)
     select ${idOf('0008', 'n')}, 'user_${idPrefix}_' || n, 'Person ' || n, 'person' || n || '@${idPrefix}.example'
     from generate_series(0, $1::int - 1) n`,
    [members],
  );
  await owner.query(
    `insert into tenancy.memberships (tenant_id, user_id, role, visited_at)
     select $1::uuid, ${idOf('0008', 'n')}, 'member', now() from generate_series(0, $2::int - 1) n`,
    [tenantId, members],
  );
  await owner.query('commit');
  await owner.query('vacuum analyze');
  const { rows: found } = await owner.query<{ chat: string; agent: string }>(
    `select ${idOf('0002', '7')} as chat, ${idOf('0005', '3')} as agent`,
  );
  return { tenantId, chatId: found[0]?.chat ?? '', agentId: found[0]?.agent ?? '' };
}
