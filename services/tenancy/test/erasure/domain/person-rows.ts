import { createHash, randomUUID } from 'node:crypto';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { v7 as uuidv7 } from 'uuid';
import { callOk } from '../../whole-platform.ts';
import type { ErasureFixture } from './erasure-fixture.ts';

/** A person with an account of each kind. */
export interface PersonInEveryTable {
  /** In everything that they say. */
  word: string;
  /** Their number at the messenger. */
  id: number;
  address: string;
  /** Their identifier in a web chat. */
  visitorId: string;
  name: string;
}

/**
 * Statements with the tenant ($1), the person's number ($2), their address ($3), a word of theirs ($4), the bot ($5),
 * and their identifier in a web chat ($6).
 */
const rows: Readonly<Record<string, string>> = {
  'tenancy.messenger_logins': `insert into tenancy.messenger_logins (login_id, platform_user_id, state, verified_at)
    values (gen_random_uuid(), $2, 'proven', now())`,
  'tenancy.renamed_people': `insert into tenancy.renamed_people (tenant_id, platform, from_id, to_id)
    values ($1, 'whatsapp', $2, $2)`,
  'tenancy.invitations': `insert into tenancy.invitations (tenant_id, invitation_id, email, role, language, mail_id, expires_at)
    values ($1, gen_random_uuid(), $3, 'member', 'en', gen_random_uuid(), now() + interval '1 day')`,
  'webhooks.bounced_addresses': `insert into webhooks.bounced_addresses (tenant_id, address, reason) values ($1, $3, $4)`,
  'webhooks.whatsapp_people': `insert into webhooks.whatsapp_people (tenant_id, integration_id, person_id, phone, last_message_id)
    select tenant_id, integration_id, $2, $2, $4 from webhooks.endpoints where bot_id = $5 limit 1`,
  'webhooks.sender_grants': `insert into webhooks.sender_grants (tenant_id, grant_id, bot_id, kind, value, granted_by)
    values ($1, gen_random_uuid(), $5, 'group', 'friends.example', $3)`,
  'webhooks.webchat_visitors': `insert into webhooks.webchat_visitors
      (tenant_id, visitor_id, bot_id, integration_id, conversation_id, name)
    values ($1, $6, $5, gen_random_uuid(), gen_random_uuid(), $4)`,
  'webhooks.webchat_sessions': `insert into webhooks.webchat_sessions (tenant_id, token_hash, visitor_id, expires_at)
    values ($1, $4, $6, now() + interval '1 day')`,
  'webhooks.webchat_messages': `insert into webhooks.webchat_messages
      (tenant_id, message_id, visitor_id, position, seq, author, text)
    values ($1, gen_random_uuid(), $6, 1, 1, 'visitor', $4)`,
  'agents.chat_states': `insert into agents.chat_states (tenant_id, bot_id, platform_chat_id, state, reason, changed_at)
    values ($1, gen_random_uuid(), $2, 'blocked', 'blocked', now())`,
  'agents.early_edits': `insert into agents.early_edits (tenant_id, conversation_id, platform_chat_id, platform_message_id, text, content,
      edited_at, edit_number)
    select tenant_id, conversation_id, $2, '99', $4, 'text', now(), 1 from agents.conversations where place ->> 'platformChatId' = $2`,
  'agents.summaries': `insert into agents.summaries (tenant_id, conversation_id, text, lease_until, updated_at)
    select tenant_id, conversation_id, $4, now(), now() from agents.people where platform_user_id in ($2, $3)
    on conflict (tenant_id, conversation_id) do update set text = excluded.text`,
  'agents.chat_notes': `insert into agents.chat_notes (tenant_id, note_id, conversation_id, text, staff_id)
    select tenant_id, gen_random_uuid(), conversation_id, $4, gen_random_uuid() from agents.people
    where platform_user_id in ($2, $3)`,
  'agents.evaluation_cases': `with made as (
      insert into agents.evaluation_sets (tenant_id, set_id, agent_id, name, documents)
      select tenant_id, gen_random_uuid(), id, 'Orders', 'recorded' from agents.agent_definitions
      where tenant_id = $1 limit 1 returning tenant_id, set_id)
    insert into agents.evaluation_cases
      (tenant_id, case_id, set_id, name, messages, recording, assertions, conversation_ids, person_ids, sources_since)
    select tenant_id, gen_random_uuid(), set_id, $4::text, '[]', '{}', '[]', array[conversation_id], array[person_id],
      now() - interval '1 minute'
    from agents.people join made using (tenant_id) where platform_user_id in ($2, $3)`,
  'agents.evaluation_results': `with made as (
      insert into agents.evaluation_runs (tenant_id, run_id, set_id, agent_id, state, documents, may_use_platform_key,
        candidate, candidate_version, last_case_id, total, ready_at)
      select s.tenant_id, gen_random_uuid(), s.set_id, s.agent_id, 'done', 'recorded', false, '{}', 1, gen_random_uuid(), 1, null
      from agents.evaluation_sets s where s.tenant_id = $1 limit 1 returning tenant_id, run_id)
    insert into agents.evaluation_results (tenant_id, run_id, case_id, passed, candidate)
    select c.tenant_id, run_id, case_id, true, jsonb_build_object('text', $4::text)
    from agents.evaluation_cases c join made using (tenant_id)`,
  'agents.release_sessions': `insert into agents.release_sessions
      (tenant_id, release_id, session_id, conversation_id, is_candidate, person_id)
    select tenant_id, gen_random_uuid(), gen_random_uuid(), conversation_id, true, person_id
    from agents.people where platform_user_id in ($2, $3)`,
  'agents.session_outcomes': `insert into agents.session_outcomes
      (tenant_id, session_id, agent_id, conversation_id, bot_id, platform, person_id, began_at, handover_reason)
    select tenant_id, gen_random_uuid(), gen_random_uuid(), conversation_id, gen_random_uuid(), platform, person_id,
      now(), $4::text
    from agents.people where platform_user_id in ($2, $3)`,
  'agents.rating_questions': `insert into agents.rating_questions (tenant_id, person_id, bot_id, chat_id, reply_id, ready_at)
    select p.tenant_id, person_id, c.bot_id, c.chat_id, gen_random_uuid(), now() + interval '10 minutes'
    from agents.people p join agents.conversations c using (tenant_id, conversation_id)
    where platform_user_id in ($2, $3) on conflict do nothing`,
  'agents.turns': `update agents.turns set tool_calls = jsonb_build_array(jsonb_build_object('name', 'x', 'arguments', $4::text))
    where conversation_id in (select conversation_id from agents.people where platform_user_id in ($2, $3))`,
  'agents.shadow_answers': `with agent as (
      insert into agents.agent_definitions (tenant_id, id, name, description, instructions, provider, model, keywords)
      values ($1, gen_random_uuid(), 'Shadowed', '', '', 'openai', 'x', '{}') returning tenant_id, id),
    made as (
      insert into agents.agent_releases (tenant_id, release_id, agent_id, version, share, shadow, steps, rules, created_by)
      select tenant_id, gen_random_uuid(), id, 1, 0, 100, '[]', '[]', gen_random_uuid() from agent
      returning tenant_id, release_id)
    insert into agents.shadow_answers (tenant_id, release_id, turn_id, verdict, text, ready_at)
    select t.tenant_id, release_id, turn_id, 'different', $4::text, null
    from agents.turns t join made using (tenant_id)
    where conversation_id in (select conversation_id from agents.people where platform_user_id in ($2, $3))`,
  'agents.turn_recordings': `insert into agents.turn_recordings (tenant_id, turn_id, key_id, sealed_recording)
    select tenant_id, turn_id, gen_random_uuid(), $4::text from agents.turns
    where conversation_id in (select conversation_id from agents.people where platform_user_id in ($2, $3))
    on conflict (tenant_id, turn_id) do update set sealed_recording = excluded.sealed_recording`,
  'agents.conversations': `update agents.conversations set last_error = $4
    where conversation_id in (select conversation_id from agents.people where platform_user_id = $2)`,
  'agents.server_grants': `with made as (
      insert into agents.tool_servers (tenant_id, server_id, name, url, origin, timeout_ms, created_by)
      values ($1, gen_random_uuid(), 'Granted', 'https://mcp.example.com/', 'https://mcp.example.com', 1000, gen_random_uuid())
      returning tenant_id, server_id)
    insert into agents.server_grants
      (tenant_id, grant_id, server_id, person_id, platform, platform_user_id, person_name, issuer, sealed_grant, updated_at)
    select tenant_id, gen_random_uuid(), server_id, gen_random_uuid(), 'messenger', $2, $4, 'https://as.example.com', '', now()
    from made`,
  'agents.server_links': `insert into agents.server_links
      (tenant_id, link_id, server_id, person_id, platform, platform_user_id, person_name, bot_id, expires_at)
    select tenant_id, gen_random_uuid(), server_id, gen_random_uuid(), 'messenger', $2, $4, $5, now() + interval '1 hour'
    from agents.tool_servers where tenant_id = $1 limit 1`,
  'agents.consumer_failures': `insert into agents.consumer_failures (event_id, attempts, last_error) values (gen_random_uuid(), 1, $4)`,
  'webhooks.consumer_failures': `insert into webhooks.consumer_failures (event_id, attempts, last_error) values (gen_random_uuid(), 1, $4)`,
};

const call = `conversation_id, bot_id, agent_id, tool_id, tool_name, toolkit, tool, arguments_hash, requesters, arguments`;

/** Puts a person where only rare turns of things would bring them. */
export async function insertPersonRows(fixture: ErasureFixture, person: PersonInEveryTable): Promise<void> {
  const { harness, tenancy, acme } = fixture.platform;
  const { tenantId } = fixture.people;
  const { id, address, word, name, visitorId } = person;
  const all = [tenantId, String(id), address, word, fixture.botId, visitorId];
  for (const text of Object.values(rows)) {
    const used = [1, 2, 3, 4, 5, 6].filter((place) => text.includes(`$${place}`));
    let numbered = text;
    used.forEach((place, index) => {
      numbered = numbered.replaceAll(`$${place}`, `$${index + 1}`);
    });
    await harness.asOwner(
      numbered,
      used.map((place) => all[place - 1]),
    );
  }
  const body = { platform: 'messenger', platformUserId: String(id), reason: word };
  await callOk(tenancy, 'POST', '/api/auth/moderation', { as: acme.admin, body });
  await callOk(tenancy, 'POST', '/api/auth/private-chat-grants', {
    as: acme.admin,
    body: { botId: fixture.botId, platform: 'email', platformUserId: address, name },
  });
  await insertCalls(fixture, person);
  await insertRecords(fixture, person);
  await insertDeadLetters(fixture, word, id);
}

/** Calls of tools in the person's private chat, and one for them in somebody's group. */
async function insertCalls(
  { platform: { harness }, people }: ErasureFixture,
  person: PersonInEveryTable,
): Promise<void> {
  const { tenantId } = people;
  const { id, word, name } = person;
  const account = { platform: 'messenger' as const, platformUserId: String(id) };
  const requesters = [{ userId: personIdOfAccount(tenantId, account), ...account, name }];
  const values = [tenantId, uuidv7(), JSON.stringify(requesters), JSON.stringify({ text: word })];
  for (const conversation of [
    `(select conversation_id from agents.conversations where place ->> 'platformChatId' = '${id}' limit 1)`,
    'gen_random_uuid()',
  ]) {
    const made = `${conversation}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'look', 'mail', 'MAIL_SEND',
      '${createHash('sha256').update(randomUUID()).digest('hex')}', $3::jsonb, $4`;
    values[1] = uuidv7();
    await harness.asOwner(
      `insert into agents.tool_tickets (tenant_id, ticket_id, ${call}, status, requester_ids, expires_at, next_at)
       values ($1, $2, ${made}, 'pending', '{}', now() + interval '1 day', now() + interval '1 day')`,
      values,
    );
    await harness.asOwner(
      `insert into agents.tool_executions (tenant_id, execution_id, ${call}, call_key, decision, outcome)
       values ($1, $2, ${made}, $2::uuid::text, 'allow', 'succeeded')`,
      values,
    );
  }
}

/** The data that a bot collected from the person, and an admin's notes about them. */
async function insertRecords(
  { platform: { harness }, people }: ErasureFixture,
  { id, word, address }: PersonInEveryTable,
): Promise<void> {
  const { tenantId } = people;
  const personId = personIdOfAccount(tenantId, { platform: 'messenger', platformUserId: String(id) });
  const insert = `insert into agents.app_records (tenant_id, record_id, app_id, type, fields, search_text, source, person_id)`;
  await harness.asOwner(
    `${insert} values ($1, $2, gen_random_uuid(), 'order', jsonb_build_object('item', $3::text), $3, 'bot', $4)`,
    [tenantId, uuidv7(), word, personId],
  );
  await harness.asOwner(
    `${insert} values ($1, $2, gen_random_uuid(), 'order', jsonb_build_object('mail', $3::text), $4, 'admin', null)`,
    [tenantId, uuidv7(), address.toUpperCase(), address],
  );
}

/** Dead letters of the consumers that hold an event of somebody. */
export async function insertDeadLetters(
  { platform: { harness }, people }: ErasureFixture,
  word: string,
  platformUserId: number,
): Promise<void> {
  for (const schema of ['agents', 'webhooks'])
    await harness.asOwner(
      `insert into ${schema}.dead_letters (event_id, subject, data, attempts, last_error)
       select $1, 'ns.event.webhooks.message.received.v1.' || $2 || '.x', $3, 6, 'Error: broken'`,
      [
        randomUUID(),
        people.tenantId,
        JSON.stringify({ text: word, sender: { platformUserId: String(platformUserId) } }),
      ],
    );
}
