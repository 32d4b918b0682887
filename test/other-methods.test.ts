import { randomInt, randomUUID } from 'node:crypto';
import { routers } from '@botyard/contracts/http/catalogue';
import { whileBusy } from '@botyard/testing/while-busy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oneOf, seeded } from './faults/rig/random.ts';
import {
  type AccessFixture,
  callerKinds,
  openAccessFixture,
  type Resources,
} from './support/access-fixture.ts';
import { type Cell, expected, statusesOf } from './support/access-rules.ts';
import {
  allRoutes,
  forAll,
  isOfPlatform,
  type NamedRoute,
  pathOf,
  pathParams,
} from './support/route-calls.ts';
import { drawsSample } from './tiers.ts';

const seed = Number(process.env.BOTYARD_METHODS_SEED ?? randomInt(2 ** 31));
const random = seeded(seed);
/** In the fast tier one case of each group, drawn by the printed seed; all of them otherwise. */
const drawn = <Case>(groups: readonly (readonly Case[])[]): Case[] =>
  groups.flatMap((cases) => (drawsSample ? [oneOf(random, cases)] : cases));

let fixture: AccessFixture;
beforeAll(async () => {
  if (drawsSample) process.stdout.write(`other methods: BOTYARD_METHODS_SEED=${seed}\n`);
  fixture = await openAccessFixture();
}, 240_000);
afterAll(() => fixture?.close());

const fullPath = ({ router, route }: NamedRoute) =>
  `${router.basePath}${route.path === '/' ? '' : route.path}`;
/** All routes of each path; parameters of another name are the same path. */
const places = [...Map.groupBy(allRoutes, (named) => fullPath(named).replaceAll(/:\w+/g, ':')).values()];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function resourcesOf(named: NamedRoute, target: 'own' | 'other'): Resources {
  if (target === 'other') return fixture.other;
  return isOfPlatform(named) ? fixture.platform : fixture.own;
}

const call = (
  named: NamedRoute,
  { method, path, as }: { method: string; path: string; as: Cell['caller'] },
) => {
  const service = fixture.services[named.router.service];
  if (!service) throw new Error(`start ${named.router.service} in access-fixture.ts`);
  return whileBusy(() => service.call(method, path, { as: fixture.callers[as] }));
};

/**
 * The expected answer of a path's routes to a caller: 405 if one of them admits the caller, otherwise an answer of
 * one of them.
 */
function due(
  routes: readonly NamedRoute[],
  caller: Cell['caller'],
  target: 'own' | 'other',
): readonly number[] {
  const verdicts = routes.flatMap((named) => {
    // No query narrows these here: whichever tenant somebody administers will do.
    const targets = named.route.access === 'anyAdmin' ? (['own', 'other'] as const) : [target];
    return targets.map((one) => expected({ ...named, caller, target: one }));
  });
  // That something isn't there is seen behind the door only.
  if (verdicts.some((one) => ['allowed', 'own checks', 'not found'].includes(one))) return [405];
  return verdicts.flatMap((one) => statusesOf[one]);
}

test('I-01: an undefined method of a path is 405 with Allow for callers who may see the path; others get the answer of its routes', async () => {
  const faults: string[] = [];
  const groups = places.flatMap((routes) => {
    const allowed = new Set(routes.map(({ route }) => route.method.toUpperCase()));
    const method = methods.find((one) => !allowed.has(one));
    if (!method) return [];
    const targets = ['own', 'other'] as const;
    return [
      callerKinds.flatMap((caller) => targets.map((target) => ({ routes, allowed, method, caller, target }))),
    ];
  });
  expect(groups.flat().length).toBeGreaterThan(1000);
  const cases = drawn(groups);
  await forAll(cases, async ({ routes, allowed, method, caller, target }) => {
    const [named] = routes;
    if (!named) return;
    const path = pathOf(named, resourcesOf(named, target));
    const { status, headers, text } = await call(named, { method, path, as: caller });
    const listed = new Set(
      (headers.get('allow') ?? '').split(', ').filter((one) => one !== '' && one !== 'HEAD'),
    );
    const isListed = status === 405 ? listed.symmetricDifference(allowed).size === 0 : listed.size === 0;
    if (!due(routes, caller, target).includes(status) || !isListed)
      faults.push(
        `${method} ${fullPath(named)}, ${caller}, ${target}: ${status} ${text} ${[...listed].join()}`,
      );
  });
  expect(faults.slice(0, 20)).toEqual([]);
}, 600_000);

test('I-01: a malformed identifier is answered like one of a missing resource, by every route to every caller', async () => {
  const faults: string[] = [];
  const cases = drawn(
    allRoutes.flatMap((named) =>
      pathParams(named.route)
        .filter((name) => !named.route.params[name])
        .map((name) => callerKinds.map((caller) => ({ named, name, caller }))),
    ),
  );
  await forAll(cases, async ({ named, name, caller }) => {
    const method = named.route.method.toUpperCase();
    const askFor = (id: string) => {
      const path = pathOf(named, { ...resourcesOf(named, 'own'), [name]: id });
      return call(named, { method, path, as: caller });
    };
    const [malformed, missing] = [await askFor('no-uuid'), await askFor(randomUUID())];
    if (malformed.status !== missing.status || ![401, 403, 404, 400].includes(missing.status))
      faults.push(
        `${method} ${fullPath(named)} ${name}, ${caller}: ${malformed.text} instead of ${missing.text}`,
      );
  });
  expect(faults.slice(0, 20)).toEqual([]);
}, 600_000);

/** Paths of the specification's section 4 without their tenant, and further paths beneath routers. */
const pathsWithoutRoute = [
  ...['POST /api/keys', 'GET /api/keys', 'POST /api/keys/:id/validate', 'PUT /api/keys/:id/invalidate'],
  ...['GET /api/keys/resolve/openai', 'GET /api/usage', 'GET /api/usage/logs', 'GET /api/usage/check'],
  ...['GET /api/usage/quota', 'POST /api/usage/quota/initialize', 'POST /api/usage/quota/reset'],
  ...['GET /api/bots/:id', 'PUT /api/bots/:id', 'DELETE /api/bots/:id', 'POST /api/bots/bots'],
  ...['GET /api/bots/:id/stats', 'GET /api/bots/:id/integrations', 'POST /api/bots/:id/integrations'],
  ...['GET /api/bots/:id/integrations/:id', 'DELETE /api/bots/:id/integrations/:id', 'GET /api/bots/x'],
  ...['GET /api/system/nothing', 'PUT /api/config/nothing', 'GET /api/database/collections/x/y'],
  ...['GET /api/idp-admin/nothing', 'POST /api/migrations/nothing', 'GET /api/email-threads/a/b/c'],
  ...['GET /api/users/:id/nothing', 'GET /api/agents/:id/nothing', 'GET /api/definitions/nothing'],
];

test('I-01: a path that no route has is 404 for every caller with a session, and 403 beneath /api/bots/superadmin for all but operators', async () => {
  const faults: string[] = [];
  const withSession = callerKinds.filter((caller) => !['no identity', 'anonymous'].includes(caller));
  const ofSuperadmin = ['GET /api/bots/superadmin/a/b/c', 'PATCH /api/bots/superadmin/:id/nothing'];
  const cases = [...pathsWithoutRoute, ...ofSuperadmin].flatMap((call) =>
    withSession.map((caller) => ({ call, caller })),
  );
  await forAll(cases, async ({ call: methodAndPath, caller }) => {
    const [method = '', path = ''] = methodAndPath.replaceAll(':id', randomUUID()).split(' ');
    const router = routers.find(({ basePath }) => `${path}/`.startsWith(`${basePath}/`));
    const service = fixture.services[router?.service ?? ''];
    const answer = await service?.call(method, path, { as: fixture.callers[caller] });
    const isRefused = path.startsWith('/api/bots/superadmin') && caller !== 'operator';
    const due = isRefused ? 403 : 404;
    if (answer?.status !== due) faults.push(`${methodAndPath}, ${caller}: ${answer?.status} ${answer?.text}`);
  });
  expect(faults).toEqual([]);
}, 600_000);
