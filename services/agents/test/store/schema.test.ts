import { withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listMessages } from '../../src/conversations/store/interactions.ts';
import { type AgentsServices, Chat, createBot, openAgentsServices } from '../agents-services.ts';

let services: AgentsServices;
let database: ReturnType<AgentsServices['harness']['databaseAs']>;
let foreign: Chat;
const tables = [
  'agent_definitions',
  'agent_versions',
  'bots',
  'conversations',
  'messages',
  'people',
  'quotes',
  'turns',
];

beforeAll(async () => {
  services = await openAgentsServices();
  database = services.harness.databaseAs('agents');
  for (const people of [services.acme, services.other]) {
    foreign = new Chat(services, await createBot(services, people));
    await foreign.say('hello', { quote: { kind: 'reply', text: 'Good morning' } });
    await foreign.answers(1);
  }
});

afterAll(() => services?.close());

describe.each(tables)('rows of %s', (table) => {
  const statement = { name: `test.${table}`, text: `select tenant_id from agents.${table}`, values: [] };

  test('are visible to a transaction of their tenant only, with no filter in the statement', async () => {
    for (const { tenantId } of [services.acme, services.other]) {
      const rows = await withTenant(database, [tenantId], (tx) => tx.query<{ tenant_id: string }>(statement));
      expect(new Set(rows.map(({ tenant_id }) => tenant_id))).toEqual(new Set([tenantId]));
    }
  });

  test('are invisible without a scope, also on a connection that had one', async () => {
    for (let count = 0; count < 20; count += 1) {
      expect((await database.pool.query(statement.text)).rows).toEqual([]);
    }
  });
});

test('every table with a tenant forces row-level security', async () => {
  const open = await services.harness.asOwner<{ relname: string }>(
    `select relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where relkind = 'r' and relnamespace = 'agents'::regnamespace and not (relrowsecurity and relforcerowsecurity)`,
  );
  expect(open).toEqual([]);
});

test("a store function that is handed another tenant's identifiers finds nothing", async () => {
  const key = { tenantId: services.other.tenantId, conversationIds: [foreign.conversationId] };
  const read = (tenantId: string) =>
    withTenant(database, [tenantId], (tx) => listMessages(tx, key, { limit: 10 }));
  expect(await read(services.acme.tenantId)).toEqual([]);
  expect(await read(services.other.tenantId)).toHaveLength(2);
});
