import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTenant, type DemoTenant } from './demo-tenant.ts';
import { System } from './system.ts';

let system: System;
let demo: DemoTenant;

beforeAll(async () => {
  system = await System.start();
  demo = await createDemoTenant(system);
});
afterAll(() => system.stop());

let nextUpdate = 1000;
/** Sends a message to each chat at the same time, and waits for the answers. */
async function talkIn(chatIds: readonly number[]): Promise<void> {
  const text = `message ${nextUpdate}`;
  system.model.replyWith(`answer to ${text}`);
  const from = { is_bot: false, first_name: 'Ravi' };
  const date = Math.floor(Date.now() / 1000);
  const statuses = await Promise.all(
    chatIds.map((id) => {
      const message = {
        message_id: nextUpdate,
        from: { ...from, id },
        chat: { id, type: 'private' },
        date,
        text,
      };
      return demo.deliver({ update_id: nextUpdate++, message });
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  for (const id of chatIds)
    await system.messenger.sent.waitFor(
      ({ chatId, params }) => chatId === String(id) && params.text === `answer to ${text}`,
    );
}

/** Columns that copied rows get anew: identifiers the same one for the same identifier, positions earlier ones. */
const inOtherChats = {
  'agents.conversations': { ids: ['conversation_id', 'chat_id'] },
  'agents.messages': { ids: ['message_id', 'conversation_id', 'delivery_id'] },
  'agents.people': { ids: ['conversation_id', 'person_id'] },
  'webhooks.conversations': { ids: ['conversation_id'] },
  'webhooks.deliveries': { ids: ['event_id', 'delivery_id'] },
  'webhooks.chats': { ids: ['platform_chat_id'] },
  'webhooks.reply_turns': { ids: ['conversation_id'] },
  'webhooks.replies': { ids: ['reply_id', 'conversation_id'] },
  'webhooks.parts': { ids: ['part_id', 'reply_id', 'platform_chat_id'] },
};
const inSameChats = {
  'agents.messages': { ids: ['message_id', 'delivery_id'], position: 'seq' },
  'webhooks.replies': { ids: ['reply_id'], position: 'reply_seq' },
  'webhooks.parts': { ids: ['part_id', 'reply_id'] },
};
const tables = Object.keys(inOtherChats);

/** Copies all rows so many times. */
async function copyRows(
  times: number,
  anew: Record<string, { ids: string[]; position?: string }>,
): Promise<void> {
  const call = randomUUID();
  for (const [table, { ids, position }] of Object.entries(anew)) {
    const values = ids.map((id) => `'${id}', md5('${call}' || t.${id}::text || n)`);
    if (position) values.push(`'${position}', t.${position} - n * 1000`);
    await system.asOwner(
      `insert into ${table} overriding system value
       select (jsonb_populate_record(t, jsonb_build_object(${values.join(', ')}))).*
       from ${table} t, generate_series(1, ${times}) n`,
    );
  }
}

interface Counts {
  name: string;
  read: number;
  inserted: number;
}

async function countRows(): Promise<Map<string, Counts>> {
  const rows = await system.asOwner<Counts>(
    `select schemaname || '.' || relname as name, n_tup_ins::int as inserted,
       (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
     from pg_stat_user_tables
     where schemaname || '.' || relname in ('${tables.join("', '")}')`,
  );
  return new Map(rows.map((row) => [row.name, row]));
}

/** The rows of each table, once the processes have reported this many messages. */
async function countRowsAfter(messages: number): Promise<Map<string, Counts>> {
  let counts = new Map<string, Counts>();
  await eventually('the processes have reported what they read', async () => {
    counts = await countRows();
    const ofParts = counts.get('webhooks.parts')?.inserted ?? 0;
    const ofMessages = counts.get('agents.messages')?.inserted ?? 0;
    return ofParts >= messages && ofMessages >= 2 * messages;
  });
  return counts;
}

test('a message reads a few rows, and none of the thousands that its chat and its tenant have besides', async () => {
  const chatIds = Array.from({ length: 8 }, (_, index) => 5_560_000 + index);
  // Statements are planned now, on connections of every process, while the tables are small.
  for (let round = 0; round < 4; round += 1) await talkIn(chatIds);
  await copyRows(100, inSameChats);
  await copyRows(5, inOtherChats);
  const sent = 4 * chatIds.length * 101 * 6;
  const before = await countRowsAfter(sent);
  for (let round = 0; round < 2; round += 1) await talkIn(chatIds);
  const messages = 2 * chatIds.length;
  const after = await countRowsAfter(sent + messages);
  for (const table of tables) {
    const read = after.get(table)!.read - before.get(table)!.read;
    expect.soft(read / messages, `${table} for a message`).toBeLessThan(100);
  }
});
