import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccessFixture, openAccessFixture, type Resources } from './support/access-fixture.ts';
import { checksOwnTokens } from './support/access-rules.ts';
import {
  allRoutes,
  callRoute,
  forAll,
  isOfPlatform,
  pathOf,
  pathParams,
  rightBody,
} from './support/route-calls.ts';

/** An identifier of somebody else at any depth of a path, with all others the caller's own (I-03). */
let fixture: AccessFixture;
beforeAll(async () => {
  fixture = await openAccessFixture();
}, 600_000);
afterAll(() => fixture?.close());

const nested = allRoutes.filter(
  ({ route, router }) => !checksOwnTokens(router) && pathParams(route).some((name) => !route.params[name]),
);
const readers = nested.filter(({ route }) => route.method === 'get');

/** Every mixture of the own resources with those of somebody else, but neither all own nor all of the other. */
function mixtures(names: readonly string[], own: Resources, other: Resources): Resources[] {
  const all = 2 ** names.length;
  return Array.from({ length: all }, (_, bits) => bits)
    .slice(1, names.length > 1 ? -1 : all)
    .map((bits) => ({
      ...own,
      ...Object.fromEntries(
        names.map((name, index) => [name, (bits >> index) % 2 ? other[name] : own[name]]),
      ),
    })) as Resources[];
}

async function statusOfOwn(route: (typeof nested)[number]): Promise<number> {
  const own = isOfPlatform(route) ? fixture.platform : fixture.own;
  const isForOperators = isOfPlatform(route) || route.route.access === 'operator';
  const as = isForOperators ? fixture.callers.operator : fixture.callers.admin;
  return (await callRoute(fixture, route, { as, path: pathOf(route, own) })).status;
}

test('I-03: a path that mixes own identifiers with those of another tenant is refused, and changes nothing', async () => {
  const faults: string[] = [];
  let count = 0;
  await forAll(nested, async (named) => {
    if (isOfPlatform(named)) return;
    const ids = pathParams(named.route).filter((name) => !named.route.params[name]);
    for (const resources of mixtures(ids, fixture.own, fixture.other)) {
      const path = pathOf(named, resources);
      const body = named.route.body ? (rightBody(fixture, named) ?? {}) : undefined;
      const { status, text } = await callRoute(fixture, named, { as: fixture.callers.admin, path, body });
      count += 1;
      const mayLook = resources.tenantId === fixture.own.tenantId && named.route.access !== 'operator';
      const due = mayLook ? 404 : 403;
      if (status !== due)
        faults.push(`${named.name} ${path}: ${due} is due, came ${status} ${text.slice(0, 100)}`);
    }
  });
  process.stdout.write(`identifiers: ${count} mixed paths, ${faults.length} faults\n`);
  expect(faults).toEqual([]);
});

test('I-03: a resource is found beneath its own parent only, not beneath another one of the same tenant', async () => {
  const faults: string[] = [];
  await forAll(nested, async (named) => {
    const ids = pathParams(named.route).filter((name) => name !== 'tenantId' && !named.route.params[name]);
    if (ids.length < 2 || isOfPlatform(named)) return;
    for (const resources of mixtures(ids, fixture.own, fixture.sibling)) {
      const path = pathOf(named, resources);
      // Some identifiers are the same in both, such as that of the person.
      if ([fixture.own, fixture.sibling].some((whole) => path === pathOf(named, whole))) continue;
      const body = named.route.body ? (rightBody(fixture, named) ?? {}) : undefined;
      const { status } = await callRoute(fixture, named, { as: fixture.callers.admin, path, body });
      if (status !== 404) faults.push(`${named.name} ${path}: ${status}`);
    }
  });
  expect(faults).toEqual([]);
});

test('everything that was aimed at is still there', async () => {
  const faults: string[] = [];
  await forAll(readers, async (named) => {
    const status = await statusOfOwn(named);
    if (status !== 200) faults.push(`${named.name}: ${status}`);
  });
  expect(faults).toEqual([]);
});
