import { randomUUID } from 'node:crypto';
import { actsInActiveTenant, isList } from '@botyard/contracts/http/contract';
import type { Identity } from '@botyard/contracts/identity';
import type { Answer } from '@botyard/testing/test-call';
import { whileBusy } from '@botyard/testing/while-busy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccessFixture, openAccessFixture } from './support/access-fixture.ts';
import { allRoutes, forAll, type NamedRoute, pathOf } from './support/route-calls.ts';

let fixture: AccessFixture;
beforeAll(async () => {
  fixture = await openAccessFixture();
});
afterAll(() => fixture?.close());

const reads = allRoutes.filter(({ route }) => route.method === 'get');
const inActiveTenant = reads.filter(({ route }) => actsInActiveTenant(route));
const lists = reads.filter(({ route }) => isList(route));
const listsOfOneTenant = lists.filter(({ route }) => route.access === 'member' || route.access === 'admin');

interface Ask {
  as: Identity | null;
  of?: 'own' | 'other';
  query?: string;
  headers?: Record<string, string>;
}

async function ask(named: NamedRoute, { as, of = 'own', query = '', headers = {} }: Ask): Promise<Answer> {
  const service = fixture.services[named.router.service];
  return await whileBusy(() =>
    service!.call('GET', `${pathOf(named, fixture[of])}${query}`, { as, headers }),
  );
}

/** Names of the routes that don't answer as they should. */
async function misses(routes: readonly NamedRoute[], isRight: (named: NamedRoute) => Promise<boolean>) {
  const missed: string[] = [];
  await forAll(routes, async (named) => {
    if (!(await isRight(named))) missed.push(`${named.router.basePath} ${named.name}`);
  });
  return missed;
}

test('X-Tenant-Id names the tenant of a request, instead of the active one', async () => {
  const as = fixture.callers.operator;
  const headers = { 'x-tenant-id': fixture.other.tenantId! };
  expect(
    await misses(inActiveTenant, async (named) => {
      const [active, wanted] = [await ask(named, { as }), await ask(named, { as, of: 'other', headers })];
      return wanted.status === active.status;
    }),
  ).toEqual([]);
});

test('X-Tenant-Id of a tenant that the caller does not reach is 403, the same as of one that does not exist', async () => {
  const as = fixture.callers.admin;
  expect(
    await misses(inActiveTenant, async (named) => {
      const others = await ask(named, { as, headers: { 'x-tenant-id': fixture.other.tenantId! } });
      const missing = await ask(named, { as, headers: { 'x-tenant-id': randomUUID() } });
      return others.status === 403 && missing.status === 403 && others.text === missing.text;
    }),
  ).toEqual([]);
});

test('X-Tenant-Id that is not a UUID is 400', async () => {
  const headers = { 'x-tenant-id': 'acme' };
  expect(
    await misses(
      inActiveTenant,
      async (named) => (await ask(named, { as: fixture.callers.admin, headers })).status === 400,
    ),
  ).toEqual([]);
});

test('?tenantId of the own tenant gives every list as without it, and of another one 403, as of a missing one', async () => {
  const as = fixture.callers.admin;
  expect(
    await misses(listsOfOneTenant, async (named) => {
      const without = await ask(named, { as });
      const own = await ask(named, { as, query: `?tenantId=${fixture.own.tenantId}` });
      const refused = await Promise.all(
        [
          fixture.other.tenantId,
          randomUUID(),
          'acme',
          `${fixture.own.tenantId}&tenantId=${fixture.other.tenantId}`,
        ].map((tenantId) => ask(named, { as, query: `?tenantId=${tenantId}` })),
      );
      return (
        own.status === without.status &&
        refused.every(({ status }) => status === 403) &&
        new Set(refused.map(({ text }) => text)).size === 1
      );
    }),
  ).toEqual([]);
});

test('an operator lists the resources of any tenant by ?tenantId, and nothing of a missing one', async () => {
  const as = fixture.callers.operator;
  const definitions = allRoutes.find(({ name }) => name === 'listAgentDefinitions')!;
  const listed = await ask(definitions, { as, query: `?tenantId=${fixture.other.tenantId}` });
  expect(listed.status).toBe(200);
  expect(new Set(listed.body.map(({ tenantId }: { tenantId: string }) => tenantId))).toEqual(
    new Set([fixture.other.tenantId]),
  );
  expect((await ask(definitions, { as, query: `?tenantId=${randomUUID()}` })).status).toBe(404);
});
