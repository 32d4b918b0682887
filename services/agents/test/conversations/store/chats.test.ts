import { randomUUID } from 'node:crypto';
import type { ListChatsQuery } from '@botyard/contracts/http/interactions-chats';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatRow, listChats, placeOfChat } from '../../../src/conversations/store/chats.ts';

let harness: ServiceHarness;
let database: Database;
const [tenantId, botId, agentId] = [randomUUID(), randomUUID(), randomUUID()];
const chatsOfTenant = 10_000;

/**
 * Five tenants with 10,000 chats each, and 10 messages in each chat. An agent has answered them in 100 versions. Some chats' last messages have the same time as
 * those of others.
 */
beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
  for (const one of [randomUUID(), randomUUID(), randomUUID(), tenantId, randomUUID()]) await fill(one);
  for (const table of ['conversations', 'messages', 'people', 'session_outcomes'])
    await harness.asOwner(`vacuum analyze agents.${table}`);
}, 240_000);
afterAll(() => harness?.close());

async function fill(ofTenant: string): Promise<void> {
  await harness.asOwner(
    `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place, last_message_at)
     select $1, gen_random_uuid(), agents.new_id(), $2, $2, 'messenger',
       jsonb_build_object('kind', 'private', 'title', 'Chat ' || n, 'platformChatId', n::text),
       timestamptz '2026-01-01' + (n / 3) * interval '1 minute' from generate_series(1, $3::int) n`,
    [ofTenant, botId, chatsOfTenant],
  );
  await harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
     select tenant_id, agents.new_id(), conversation_id, 'in', n, 'Where is order ' || (place ->> 'platformChatId') || '-' || n || '?',
       'text', 'answered', now()
     from generate_series(1, 10) n cross join agents.conversations where tenant_id = $1 order by n`,
    [ofTenant],
  );
  await harness.asOwner(
    `insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name)
     select tenant_id, conversation_id, gen_random_uuid(), 'messenger', place ->> 'platformChatId', 'Person ' || (place ->> 'platformChatId')
     from agents.conversations where tenant_id = $1`,
    [ofTenant],
  );
  await harness.asOwner(
    `insert into agents.session_outcomes
       (tenant_id, session_id, agent_id, agent_version, conversation_id, bot_id, platform, began_at, outcomes)
     select tenant_id, gen_random_uuid(), $2, (place ->> 'platformChatId')::int % 100 + 1, conversation_id, bot_id, platform,
       now(), '{failed}'
     from agents.conversations where tenant_id = $1`,
    [ofTenant, agentId],
  );
}

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
}
const isByChat = (node: Node) => node['Index Name'] === 'conversations_chat_id_unique';
const isOfTenant = (node: Node) => node['Index Cond']?.includes(`tenant_id = '${tenantId}'`) === true;
const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)];

/** Postgres's plan of a list, with the service's role and row-level security. */
async function planOf(query: ListChatsQuery): Promise<{ nodes: Node[]; text: string }> {
  return await withTenant(database, [tenantId], async (tx: TenantTx) => {
    const { $client: client } = tx.db as unknown as {
      $client: { query: (query: { text: string }, values: unknown[]) => Promise<{ rows: object[] }> };
    };
    const { query: run } = client;
    let told: { text: string; values: unknown[] } | undefined;
    client.query = (statement, values) => {
      told = { text: statement.text, values };
      return run.call(client, statement, values);
    };
    await listChats(tx, { tenantId, userId: tenantId, botIds: null }, query);
    client.query = run;
    const explain = async (how: string) =>
      (await run.call(client, { text: `explain (${how}) ${told!.text}` }, told!.values)).rows;
    const [json] = (await explain('format json')) as { 'QUERY PLAN': { Plan: Node }[] }[];
    const lines = (await explain('analyze, costs off')) as { 'QUERY PLAN': string }[];
    return {
      nodes: flat(json!['QUERY PLAN'][0]!.Plan),
      text: lines.map((line) => line['QUERY PLAN']).join('\n'),
    };
  });
}

const queries: readonly [string, Omit<ListChatsQuery, 'limit'>][] = [
  ['as they began', { sort: '-createdAt' }],
  ['as they were used', { sort: '-lastMessageAt' }],
  ['of a version', { sort: '-lastMessageAt', agentId, agentVersion: 7, outcome: 'failed' }],
  ['with a text', { sort: '-lastMessageAt', q: 'order 4711-3' }],
];

test.each(queries)('a page of chats %s reads nothing of another tenant', async (name, query) => {
  const { nodes, text } = await planOf({ ...query, limit: 100 });
  if (process.env.BOTYARD_PRINT_PLANS) process.stdout.write(`${name}\n${text}\n\n`);
  const scans = nodes.filter((node) => node['Relation Name'] && node['Node Type'] === 'Seq Scan');
  const large = ['conversations', 'messages', 'people', 'session_outcomes'];
  expect(scans.filter((node) => large.includes(node['Relation Name']!))).toEqual([]);
  expect(nodes.filter(isOfTenant).map((node) => node['Index Name'])).not.toEqual([]);
  expect(
    nodes.filter((node) => node['Node Type'] === 'Index Scan' && isByChat(node) && !node['Index Cond']),
  ).toEqual([]);
});

test.each([
  ['-createdAt', 'conversations_by_creation'],
  ['lastMessageAt', 'conversations_by_last_message'],
] as const)(
  'a page sorted by %s is read along its index, not from all chats of the tenant',
  async (sort, index) => {
    const { nodes } = await planOf({ sort, limit: 100 });
    const ofChats = nodes.filter((node) => node['Relation Name'] === 'conversations');
    expect(ofChats.map((node) => node['Index Name']).toSorted()).toEqual(
      [index, 'conversations_chat_id_unique'].toSorted(),
    );
  },
);

test('the chats of a version of an agent are found by an index of its sessions', async () => {
  const { nodes } = await planOf({
    sort: '-lastMessageAt',
    limit: 100,
    agentId,
    agentVersion: 7,
    outcome: 'failed',
  });
  const bySession = nodes.filter((node) => node['Index Name'] === 'session_outcomes_by_version');
  expect(bySession.map((node) => node['Index Cond'])).toEqual([expect.stringContaining('agent_version = 7')]);
});

const readAll = async (query: Omit<ListChatsQuery, 'before'>): Promise<ChatRow[]> =>
  await withTenant(database, [tenantId], async (tx) => {
    const listedRows: ChatRow[] = [];
    for (;;) {
      const last = listedRows.at(-1);
      const place = last && placeOfChat(last, query.sort.replace('-', ''));
      const before = place && { id: place.id, value: place.value.toISOString() };
      const rows = await listChats(tx, { tenantId, userId: tenantId, botIds: null }, {
        ...query,
        before,
      } as ListChatsQuery);
      listedRows.push(...rows.slice(0, query.limit));
      if (rows.length <= query.limit) return listedRows;
    }
  });

test.each(['lastMessageAt', '-lastMessageAt'] as const)(
  'pages sorted by %s omit nothing and repeat nothing, even if many times are equal',
  async (sort) => {
    const chats = await readAll({ sort, limit: 499 });
    expect(new Set(chats.map(({ chatId }) => chatId)).size).toBe(chatsOfTenant);
    const places = chats.map(({ lastMessageAt, chatId }) => `${lastMessageAt.toISOString()} ${chatId}`);
    const inOrder = places.toSorted();
    expect(places).toEqual(sort === 'lastMessageAt' ? inOrder : inOrder.toReversed());
  },
);

test('a text is found in titles, names and messages, literally and in any case, and only matches are returned', async () => {
  const titlesOf = async (q: string) =>
    (await readAll({ sort: '-createdAt', limit: 50, q })).map(({ place }) => place.title);
  expect(await titlesOf('chat 4711')).toEqual(['Chat 4711']);
  expect(await titlesOf('PERSON 4711')).toEqual(['Chat 4711']);
  expect(await titlesOf('order 4711-10?')).toEqual(['Chat 4711']);
  for (const pattern of ['%', '_', 'Chat_4711', '\\']) expect(await titlesOf(pattern)).toEqual([]);
});
