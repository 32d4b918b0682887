import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../../agents-services.ts';
import { Apps } from '../../../app-calls.ts';
import { createTeam, lastTriage, type Team } from '../../../routing/domain/team.ts';

let services: AgentsServices;
let team: Team;
let others: TestBot[];

beforeAll(async () => {
  services = await openAgentsServices();
  team = await createTeam(services);
  others = [await createBot(services, services.acme), await createBot(services, services.other)];
  await services.harness.settled('agents', 'tenancy');
});
beforeEach(async () => {
  for (const table of ['app_bindings', 'app_versions', 'apps', 'bot_assignments'])
    await services.harness.asOwner(`delete from agents.${table}`);
});
afterAll(() => services?.close());

const migration = (method: string, path: string, body?: unknown) =>
  services.agents.call(method, `/api/migrations/spec${path}`, { as: services.acme.operator, body });
const preview = async () => (await migration('GET', '/route-preview')).body;
const execute = async (limit = 50) => (await migration('POST', '/route-execute', { limit })).body;

const assign = async (
  { tenantId, botId }: { tenantId: string; botId: string },
  agentId: string,
  more: object = {},
) => {
  const as = tenantId === services.acme.tenantId ? services.acme.admin : services.other.admin;
  const body = { botId, agentId, ...more };
  const answer = await services.agents.call('POST', '/api/bot-assignment', { as, body });
  expect([201, 409]).toContain(answer.status);
};
/** The current content of everything that it writes to. */
const stateOf = async () =>
  await services.harness.asOwner(
    `select (select json_agg(a order by assignment_id) from agents.bot_assignments a) as assignments,
       (select json_agg(a order by app_id) from agents.apps a) as apps,
       (select json_agg(v order by app_id) from agents.app_versions v) as versions,
       (select json_agg(b order by binding_id) from agents.app_bindings b) as bindings`,
  );

test('executing does exactly what the preview shows, for all assignments, and a second run changes nothing', async () => {
  const bots = [{ ...team, agentIds: team.agentIds }, ...others];
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          bot: fc.nat({ max: 2 }),
          agent: fc.nat({ max: 2 }),
          priority: fc.integer({ min: -3, max: 3 }),
          where: fc.constantFrom({}, { kind: 'private' }, { kind: 'group' }),
          when: fc.constantFrom({}, { keywords: ['tea'] }, { language: 'de' }, { keywords: ['b', 'a'] }),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      fc.integer({ min: 1, max: 3 }),
      async (drawn, limit) => {
        for (const { bot, agent, ...more } of drawn) {
          const { agentIds } = bots[bot]!;
          await assign(bots[bot]!, agentIds[agent % agentIds.length]!, more);
        }
        const due = await preview();
        const { converted, blocked, remaining } = await execute(limit);
        expect(converted.map(({ appId: _appId, ...row }: { appId: string }) => row)).toEqual(
          due.slice(0, limit),
        );
        expect([blocked, remaining]).toEqual([[], Math.max(0, due.length - limit)]);
        expect(await preview()).toEqual(due.slice(limit));
        await execute();
        const before = await stateOf();
        expect(await preview()).toEqual([]);
        expect(await execute()).toEqual({ converted: [], blocked: [], remaining: 0 });
        expect(await stateOf()).toEqual(before);
      },
    ),
    { numRuns: 6 },
  );
});

test('the same agent answers before and after, and the trace names the route', async () => {
  await assign(team, team.billing, { when: { keywords: ['boat'] } });
  const ask = async () => {
    const chat = new Chat(services, team);
    await chat.say('a boat');
    const [answer] = await chat.answers(1);
    await chat.isIdle();
    return [answer, (await lastTriage(services, chat))?.rule];
  };
  expect(await ask()).toEqual(['Billing: a boat', 'assignment']);
  const { converted } = await execute();
  expect(converted).toHaveLength(1);
  expect(await ask()).toEqual(['Billing: a boat', 'route']);
  // An exception from all apps still precedes them, and a later assignment precedes that.
  const apps = new Apps(services);
  await apps.running(
    {
      agents: [{ key: 'repair', agentId: team.repair }],
      routes: [{ name: 'all', agent: 'repair', when: { match: 'everything' }, priority: 1000 }],
    },
    team.botId,
  );
  expect(await ask()).toEqual(['Billing: a boat', 'route']);
  await assign(team, team.sales, { when: { keywords: ['boat'] } });
  expect((await execute()).converted).toHaveLength(1);
  expect(await ask()).toEqual(['Sales: a boat', 'route']);
});

test('a run that fails in the middle of a bot has done nothing of it, and the next one does it', async () => {
  await assign(team, team.billing);
  await assign(others[0]!, others[0]!.agentIds[0]!);
  const due = await preview();
  expect(due).toHaveLength(2);
  // The first one comes through; the second one fails at its very last statement.
  const [, second] = due;
  await services.harness.asOwner(
    `create function agents.fail() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$`,
  );
  await services.harness.asOwner(
    `create trigger fail before delete on agents.bot_assignments for each row
     when (old.bot_id = '${second.botId}') execute function agents.fail()`,
  );
  expect((await migration('POST', '/route-execute', {})).status).toBe(500);
  expect(await preview()).toEqual([second]);
  const apps = await services.harness.asOwner('select 1 from agents.apps');
  expect(apps).toHaveLength(1);
  await services.harness.asOwner('drop trigger fail on agents.bot_assignments');
  expect((await execute()).converted).toMatchObject([second]);
  expect(await preview()).toEqual([]);
});

test('concurrent executions convert each bot once', async () => {
  await assign(team, team.billing);
  await assign(others[1]!, others[1]!.agentIds[0]!);
  const runs = await Promise.all([execute(), execute(), execute()]);
  expect(runs.flatMap(({ converted }) => converted)).toHaveLength(2);
  expect(await services.harness.asOwner('select 1 from agents.apps')).toHaveLength(2);
});

test('an app made of assignments is like any other: its spec can be read and published again', async () => {
  await assign(team, team.billing, {
    where: { kind: 'private' },
    when: { keywords: ['tea'], language: 'de' },
  });
  const [row] = (await execute()).converted;
  const apps = new Apps(services);
  expect((await apps.callOk('GET', `/${row.appId}`)).spec).toEqual(row.spec);
  expect(await apps.publish(row.appId)).toBe(1);
  const refused = await services.agents.call('GET', '/api/migrations/spec/route-preview', {
    as: services.acme.admin,
  });
  expect(refused.status).toBe(403);
});
