import type { LauncherProcess } from '../../../test/e2e/launcher-process.ts';

/** The contents of each tenant: bots, chats with messages, and their rows in the other services. */
const [bots, chats, messagesInChat] = [5, 5, 10];

const uuid = (kind: string, ...numbers: string[]) =>
  `('0192${kind}-0000-7000-8000-' || lpad(to_hex(${numbers.join(' + ')}), 12, '0'))::uuid`;
const tenant = uuid('0000', 't');
const bot = (n: string) => uuid('0001', `t * ${bots}`, n);
const chat = (n: string) => uuid('0002', `t * ${chats}`, n);
const message = (n: string) => uuid('0003', `t * ${chats * messagesInChat}`, n);
const inChat = `('chat ' || n % ${chats})`;

const perTenant = [
  `insert into tenancy.users (user_id, idp_user_id) select ${uuid('0004', 't')}, 'user_other_' || t from tenants`,
  `insert into tenancy.tenants (tenant_id, name) select ${tenant}, 'Other ' || t from tenants`,
  `insert into tenancy.memberships (tenant_id, user_id, role) select ${tenant}, ${uuid('0004', 't')}, 'admin' from tenants`,
];
const perBot = [
  `insert into tenancy.bots (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms)
     select ${tenant}, ${bot('n')}, 'Bot ' || n, '{}', true, 1200 from tenants, generate_series(0, ${bots - 1}) n`,
  `insert into agents.bots (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms, revision)
     select ${tenant}, ${bot('n')}, 'Bot ' || n, '{}', true, 1200, 1 from tenants, generate_series(0, ${bots - 1}) n`,
  `insert into webhooks.endpoints (tenant_id, integration_id, bot_id, integration_type, is_enabled, revision, registered_fingerprint)
     select ${tenant}, ${bot('n')}, ${bot('n')}, 'messenger', false, 1, 'none' from tenants, generate_series(0, ${bots - 1}) n`,
];
const perChat = [
  `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place, next_seq, last_seq)
     select ${tenant}, ${chat('n')}, ${chat('n')}, ${bot('n')}, ${bot('n')}, 'messenger',
       jsonb_build_object('kind', 'private', 'title', ${inChat}, 'platformChatId', (8000000000 + t * ${chats} + n)::text),
       ${messagesInChat} + 1, ${messagesInChat} from tenants, generate_series(0, ${chats - 1}) n`,
  `insert into webhooks.conversations (tenant_id, conversation_id, last_seq)
     select ${tenant}, ${chat('n')}, ${messagesInChat} from tenants, generate_series(0, ${chats - 1}) n`,
];
const everyMessage = `from tenants, generate_series(0, ${chats * messagesInChat - 1}) n`;
const perMessage = [
  `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
     select ${tenant}, ${message('n')}, ${chat(`n % ${chats}`)}, 'in', n / ${chats} + 1, repeat(md5(n::text), 3), 'text', 'answered',
       now() - n * interval '1 minute' ${everyMessage}`,
  `insert into webhooks.deliveries (tenant_id, source, bot_id, event_id, delivery_id, received_at)
     select ${tenant}, 'messenger', ${bot(`n % ${bots}`)}, n::text, ${message('n')}, now() - n * interval '1 minute' ${everyMessage}`,
  `insert into usage.log_entries (tenant_id, turn_id, conversation_id, bot_id, key_source, outcome, input_tokens, output_tokens,
       tool_calls, is_estimated, duration_ms, completed_at)
     select ${tenant}, ${message('n')}, ${chat(`n % ${chats}`)}, ${bot(`n % ${bots}`)}, 'platform', 'answered', 100, 20, 0, false, 900,
       now() - n * interval '1 minute' ${everyMessage}`,
];

/** Writes idle tenants with the numbers from `from` to `to`, `to` excluded. */
export async function writeOtherTenants(
  launcher: LauncherProcess,
  { from, to }: { from: number; to: number },
): Promise<void> {
  if (to <= from) return;
  const tenants = `with tenants as (select t from generate_series(${from}, ${to - 1}) t)`;
  const inserts = [...perTenant, ...perBot, ...perChat, ...perMessage].map(
    (insert) => `${tenants} ${insert}`,
  );
  // Rows that refer to a tenant are written in the same transaction: the statements of one text are one.
  await launcher.asOwner(inserts.join(';'));
  await launcher.asOwner('vacuum analyze');
}
