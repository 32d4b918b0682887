import { randomUUID } from 'node:crypto';
import { botsRouter } from '@botyard/contracts/http/bots';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createBot,
  createIntegration,
  openTenancyServices,
  startAgents,
  startUsage,
  type TenancyServices,
} from './tenancy-services.ts';

let services: TenancyServices;
/** The resources of acme and of the other tenant. */
let own: Owned;
let foreign: Owned;

interface Owned {
  tenantId: string;
  botId: string;
  integrationId: string;
}

beforeAll(async () => {
  services = await openTenancyServices();
  // They answer routes about a bot's activity.
  await Promise.all([startAgents(services.harness), startUsage(services.harness)]);
  const make = async (people: TenancyServices['acme']) => {
    const botId = await createBot(services, people);
    return {
      tenantId: people.tenantId,
      botId,
      integrationId: await createIntegration(services, people, botId),
    };
  };
  [own, foreign] = [await make(services.acme), await make(services.other)];
});

afterAll(() => services?.close());

/** Every route with a tenant in its path; those that a member may call, and those that only an admin may. */
const routes = Object.entries(botsRouter.routes)
  .filter(([, { path }]) => path.includes(':tenantId'))
  .map(([name, { method, path, access }]) => ({ name, method, path, access }));
const reads = routes.filter(({ access }) => access === 'member');
const writes = routes.filter(({ access }) => access === 'admin');

function call(
  route: (typeof routes)[number],
  ids: Owned,
  as: TenancyServices['acme'][keyof TenancyServices['acme']],
) {
  const unknown = { userId: randomUUID(), invitationId: randomUUID() };
  const named: Readonly<Record<string, string>> = { ...ids, ...unknown };
  const path = `/api/bots${route.path}`.replace(/:(\w+)/g, (_match, name: string) => named[name]!);
  const credentials = { botToken: '1:unknown', botName: 'x' };
  const isCreate = route.method === 'post';
  const body = route.path.includes('/integrations')
    ? { ...(isCreate ? { integrationType: 'messenger' } : {}), credentials }
    : { name: 'x' };
  const hasBody = route.method === 'post' || route.method === 'put';
  return services.tenancy.call(route.method.toUpperCase(), path, {
    as: as as TenancyServices['acme']['admin'],
    ...(hasBody ? { body } : {}),
  });
}

test('the routes with a tenant are known', () => {
  expect(reads.length).toBeGreaterThanOrEqual(4);
  expect(writes.length).toBeGreaterThanOrEqual(7);
});

describe.each(routes)('$method $path', (route) => {
  test('is 403 for a stranger, with the same body for a tenant that exists, one that does not and one that can not', async () => {
    const { stranger, member, admin } = services.other;
    for (const as of [stranger, member, admin]) {
      const existing = await call(route, own, as);
      const missing = await call(route, { ...own, tenantId: randomUUID() }, as);
      expect([existing.status, missing.status]).toEqual([403, 403]);
      expect(missing.text).toBe(existing.text);
      const nonsense = await call(route, { ...own, tenantId: 'nope' }, as);
      expect([nonsense.status, nonsense.text]).toEqual([403, existing.text]);
    }
  });
});

test.each(reads)('$path is readable for a member and an operator', async (route) => {
  for (const as of [services.acme.member, services.acme.operator]) {
    expect((await call(route, own, as)).status).toBe(200);
  }
});

test.each(writes)('$method $path is 403 for a member', async (route) => {
  expect((await call(route, own, services.acme.member)).status).toBe(403);
});

test('an operator who reaches into a tenant is written to the audit log', async () => {
  const before = services.harness.logLines.length;
  await call(reads[0]!, own, services.acme.operator);
  const lines = services.harness.logLines
    .slice(before)
    .filter((line) => line.includes('operator reached into'));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    tenantId: own.tenantId,
    principalId: expect.any(String),
    audit: expect.any(String),
  });
});

test('an operator who names a tenant that does not exist gets 404', async () => {
  const answer = await call(reads[0]!, { ...own, tenantId: randomUUID() }, services.acme.operator);
  expect(answer.status).toBe(404);
});

describe("another tenant's identifiers are 404 at every depth, as missing ones are", () => {
  const deep = routes.filter(({ path }) => path.includes(':botId'));
  const swaps: [string, () => Owned][] = [
    ['a foreign bot', () => ({ ...own, botId: foreign.botId })],
    ['a missing bot', () => ({ ...own, botId: randomUUID() })],
    ['a bot that is no identifier', () => ({ ...own, botId: 'nope' })],
    ['a foreign integration of the own bot', () => ({ ...own, integrationId: foreign.integrationId })],
    ['the own integration of a foreign bot', () => ({ ...own, botId: foreign.botId })],
    ['a foreign bot with its integration', () => ({ ...foreign, tenantId: own.tenantId })],
  ];

  test.each(swaps)('%s', async (what, swapped) => {
    const named = what.includes('integration of the own bot')
      ? deep.filter(({ path }) => path.includes(':integrationId'))
      : deep;
    const before = await everything();
    for (const route of named) {
      const answer = await call(route, swapped(), services.acme.admin);
      expect([route.name, answer.status]).toEqual([route.name, 404]);
      expect(answer.body).toEqual({
        error: expect.stringMatching(/^(bot|integration) not found$/),
      });
    }
    expect(await everything()).toEqual(before);
  });
});

const everything = () =>
  services.harness.asOwner(
    `select b.*, i.* from tenancy.bots b left join tenancy.integrations i on i.bot_id = b.bot_id order by b.bot_id`,
  );
