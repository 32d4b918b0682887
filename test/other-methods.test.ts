import { whileBusy } from '@botyard/testing/while-busy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cell, expected, statusesOf } from './support/access-rules.ts';
import { type AccessWorld, callerKinds, openAccessWorld, type Resources } from './support/access-world.ts';
import {
  allRoutes,
  forAll,
  isOfPlatform,
  type NamedRoute,
  pathOf,
  pathParams,
} from './support/route-calls.ts';

let world: AccessWorld;
beforeAll(async () => {
  world = await openAccessWorld();
}, 240_000);
afterAll(() => world?.close());

const fullPath = ({ router, route }: NamedRoute) =>
  `${router.basePath}${route.path === '/' ? '' : route.path}`;
/** All routes of each path; parameters of another name are the same path. */
const places = [...Map.groupBy(allRoutes, (named) => fullPath(named).replaceAll(/:\w+/g, ':')).values()];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function resourcesOf(named: NamedRoute, target: 'own' | 'other'): Resources {
  if (target === 'other') return world.other;
  return isOfPlatform(named) ? world.platform : world.own;
}

const call = (
  named: NamedRoute,
  { method, path, as }: { method: string; path: string; as: Cell['caller'] },
) => {
  const service = world.services[named.router.service];
  if (!service) throw new Error(`start ${named.router.service} in access-world.ts`);
  return whileBusy(() => service.call(method, path, { as: world.callers[as] }));
};

/** What the routes of a path say to a caller: 405 when one of them lets the caller in, else what one of them answers. */
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

test('I-01: another method than those of a path is 405 with Allow to who may see the path, and to others what its routes answer', async () => {
  const faults: string[] = [];
  const cases = places.flatMap((routes) => {
    const allowed = new Set(routes.map(({ route }) => route.method.toUpperCase()));
    const others = methods.filter((method) => !allowed.has(method));
    return others
      .slice(0, 1)
      .flatMap((method) =>
        callerKinds.flatMap((caller) =>
          (['own', 'other'] as const).map((target) => ({ routes, allowed, method, caller, target })),
        ),
      );
  });
  expect(cases.length).toBeGreaterThan(1000);
  await forAll(cases, async ({ routes, allowed, method, caller, target }) => {
    const [named] = routes;
    if (!named) return;
    const path = pathOf(named, resourcesOf(named, target));
    const { status, headers, text } = await call(named, { method, path, as: caller });
    const told = new Set(
      (headers.get('allow') ?? '').split(', ').filter((one) => one !== '' && one !== 'HEAD'),
    );
    const isTold = status === 405 ? told.symmetricDifference(allowed).size === 0 : told.size === 0;
    if (!due(routes, caller, target).includes(status) || !isTold)
      faults.push(
        `${method} ${fullPath(named)}, ${caller}, ${target}: ${status} ${text} ${[...told].join()}`,
      );
  });
  expect(faults.slice(0, 20)).toEqual([]);
}, 600_000);

test('I-01: an identifier that can not be one is 404, whoever asks with a session', async () => {
  const faults: string[] = [];
  const cases = allRoutes.flatMap((named) =>
    pathParams(named.route)
      .filter((name) => !named.route.params[name])
      .flatMap((name) =>
        (['stranger', 'member', 'admin', 'operator'] as const).map((caller) => ({ named, name, caller })),
      ),
  );
  await forAll(cases, async ({ named, name, caller }) => {
    const path = pathOf(named, { ...resourcesOf(named, 'own'), [name]: 'no-uuid' });
    const method = named.route.method.toUpperCase();
    const { status, text } = await call(named, { method, path, as: caller });
    if (status !== 404) faults.push(`${method} ${path}, ${caller}: ${status} ${text}`);
  });
  expect(faults.slice(0, 20)).toEqual([]);
}, 600_000);
