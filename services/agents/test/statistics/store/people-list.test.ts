import { randomUUID } from 'node:crypto';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  listPeopleOfTenant,
  type PeopleFilter,
  type PersonRow,
} from '../../../src/statistics/store/people-list.ts';

let harness: ServiceHarness;
let database: Database;
const [tenantId, botId, otherBotId] = [randomUUID(), randomUUID(), randomUUID()];
const conversations = Array.from({ length: 40 }, (_, index) => ({
  id: randomUUID(),
  botId: index % 3 ? botId : otherBotId,
}));

interface Row {
  conversationId: string;
  personId: string;
  name: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
}

/** 60 people, each in one to four chats, under names that changed; many were seen first at the same moment. */
const rows: Row[] = Array.from({ length: 60 }, (_, number) => ({ number, personId: randomUUID() })).flatMap(
  ({ number, personId }) =>
    Array.from({ length: 1 + (number % 4) }, (_, nth) => ({
      conversationId: conversations[(number * 7 + nth * 11) % conversations.length]!.id,
      personId,
      name: `Person ${number}, ${nth}`,
      firstSeenAt: new Date(Date.UTC(2026, 0, 1 + ((number * 5 + nth * 3) % 9))),
      lastSeenAt: new Date(Date.UTC(2026, 1, 1, number, nth)),
    })),
);

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
  for (const [place, conversation] of conversations.entries())
    await harness.asOwner(
      `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place)
       values ($1, $2, gen_random_uuid(), $3, $3, 'messenger', jsonb_build_object('platformChatId', $4::text))`,
      [tenantId, conversation.id, conversation.botId, String(place)],
    );
  for (const row of rows)
    await harness.asOwner(
      `insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name, first_seen_at, last_seen_at)
       values ($1, $2, $3::uuid, 'messenger', ($3::uuid)::text, $4, $5, $6)`,
      [tenantId, row.conversationId, row.personId, row.name, row.firstSeenAt, row.lastSeenAt],
    );
});
afterAll(() => harness?.close());

/** The people that the list should contain, computed from the rows themselves. */
function expected(isTold: (row: Row) => boolean): string[] {
  const byPerson = Map.groupBy(rows.filter(isTold), ({ personId }) => personId);
  const people = [...byPerson].map(([personId, chats]) => ({
    personId,
    chats: chats.length,
    name: chats.toSorted((one, other) => +other.lastSeenAt - +one.lastSeenAt)[0]!.name,
    firstSeenAt: new Date(Math.min(...chats.map(({ firstSeenAt }) => +firstSeenAt))),
    lastSeenAt: new Date(Math.max(...chats.map(({ lastSeenAt }) => +lastSeenAt))),
  }));
  return people
    .toSorted(
      (one, other) => +other.firstSeenAt - +one.firstSeenAt || (other.personId < one.personId ? -1 : 1),
    )
    .map((person) => JSON.stringify(person));
}

const rowText = ({ personId, chats, name, firstSeenAt, lastSeenAt }: PersonRow): string =>
  JSON.stringify({ personId, chats, name, firstSeenAt, lastSeenAt });

async function readAll(filter: Omit<PeopleFilter, 'tenantId' | 'limit'>, limit = 7): Promise<string[]> {
  return await withTenant(database, [tenantId], async (tx) => {
    const listedRows: PersonRow[] = [];
    for (;;) {
      const last = listedRows.at(-1);
      const before = last && { firstSeenAt: last.firstSeenAt.toISOString(), personId: last.personId };
      const page = await listPeopleOfTenant(tx, { ...filter, tenantId, limit, before });
      listedRows.push(...page.slice(0, limit));
      if (page.length <= limit) return listedRows.map(rowText);
    }
  });
}

const botOf = new Map<string, string>(
  conversations.map((conversation) => [conversation.id, conversation.botId]),
);

test('pages contain everybody once, most recently seen first, with their latest names', async () => {
  expect(await readAll({})).toEqual(expected(() => true));
});

test('for a bot only its own chats are included', async () => {
  expect(await readAll({ botId })).toEqual(
    expected(({ conversationId }) => botOf.get(conversationId) === botId),
  );
});

test('a search considers the last name only', async () => {
  const person = rows.find(({ name }) => name === 'Person 3, 3')!;
  expect(await readAll({ search: 'person 3, 3' })).toEqual(
    expected(({ personId }) => personId === person.personId),
  );
  expect(await readAll({ search: 'person 3, 0' })).toEqual([]);
});

test('people are found by their identifiers', async () => {
  const personIds: string[] = [rows[3]!.personId, rows[20]!.personId];
  expect(await readAll({ personIds })).toEqual(expected(({ personId }) => personIds.includes(personId)));
});

test('a page is read along its index, not from all people of the tenant', async () => {
  await harness.asOwner(
    `insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name)
     select $1::uuid, gen_random_uuid(), gen_random_uuid(), 'messenger', n::text, 'Person' from generate_series(1, 10000) n`,
    [randomUUID()],
  );
  const many = randomUUID();
  await harness.asOwner(
    `insert into agents.people (tenant_id, conversation_id, person_id, platform, platform_user_id, name)
     select $1::uuid, gen_random_uuid(), gen_random_uuid(), 'messenger', n::text, 'Person' from generate_series(1, 10000) n`,
    [many],
  );
  await harness.asOwner('vacuum analyze agents.people');
  const plan = await withTenant(database, [many], async (tx) => {
    let lines: string[] = [];
    const explaining = Object.create(tx, {
      query: {
        value: async ({ text, values }: { text: { text: string }; values: unknown[] }) => {
          const planRows = await tx.query<{ 'QUERY PLAN': string }>({
            name: 'explain',
            text: `explain (costs off) ${text.text}`,
            values,
          });
          lines = planRows.map((line) => line['QUERY PLAN']);
          return [];
        },
      },
    });
    await listPeopleOfTenant(explaining, { tenantId: many, limit: 50 });
    return lines;
  });
  expect(plan.filter((line) => /on people f\b/.test(line))).toEqual([
    expect.stringContaining('Index Scan Backward using people_by_first_seen on people f'),
  ]);
  expect(plan[0]).toBe('Limit');
  expect(plan.filter((line) => /^ {0,4}-> {2}Sort/.test(line))).toEqual([]);
});
