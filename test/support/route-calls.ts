import { randomUUID } from 'node:crypto';
import { routers } from '@botyard/contracts/http/catalogue';
import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import type { Identity } from '@botyard/contracts/identity';
import type { Answer } from '@botyard/testing/test-call';
import { whileBusy } from '@botyard/testing/while-busy';
import { type AccessFixture, pathWords, type Resources } from './access-fixture.ts';
import { rightBodies } from './bodies.ts';

/** A route of the API with its name. */
export interface NamedRoute {
  router: Router;
  name: string;
  route: AnyRoute;
}

export const allRoutes: readonly NamedRoute[] = routers.flatMap((router) =>
  Object.entries(router.routes).map(([name, route]) => ({ router, name, route })),
);

/** Names of the path's parameters, the first one first. */
export const pathParams = ({ path }: AnyRoute): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

export const isOfPlatform = ({ router }: NamedRoute): boolean => router.basePath === '/api/bots/superadmin';

/** The path of a route with these resources in it. @throws for a parameter that nobody has made a resource for. */
export function pathOf({ router, route }: NamedRoute, resources: Resources): string {
  const path = route.path === '/' ? '' : route.path;
  return `${router.basePath}${path}`.replace(/:(\w+)/g, (_all, name: string) => {
    const value = resources[name] ?? (pathWords as Resources)[name];
    if (!value) throw new Error(`this test has no ${name}: make one in access-fixture.ts`);
    return value;
  });
}

/** The body that is right for a route; `undefined` where none is known. */
export function rightBody(fixture: AccessFixture, { name }: NamedRoute): object | undefined {
  const { own, outsider: idpUserId } = fixture;
  const unique = `n-${randomUUID()}`;
  return rightBodies[name]?.({ own, idpUserId, unique, botToken: fixture.newBotToken() });
}

/** A route's final answer: a 503 because the tenant is busy with concurrent calls is retried. */
export function callRoute(
  fixture: AccessFixture,
  { router, route }: NamedRoute,
  call: { as: Identity | null; path: string; body?: unknown; rawBody?: string | Uint8Array<ArrayBuffer> },
): Promise<Answer> {
  const service = fixture.services[router.service];
  if (!service) throw new Error(`start ${router.service} in access-fixture.ts`);
  const { path, ...rest } = call;
  return whileBusy(() => service.call(route.method.toUpperCase(), path, rest));
}

/** Runs over all items, several concurrently. */
export async function forAll<Item>(items: Iterable<Item>, run: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const work = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}
