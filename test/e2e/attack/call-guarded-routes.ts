import { randomUUID } from 'node:crypto';
import { publicPrefixes } from '@botyard/contracts/http/catalogue';
import { allRoutes, forAll, type NamedRoute, pathOf, pathParams } from '../../support/route-calls.ts';
import { askUntilAnswered } from './local-installation.ts';

export interface RouteAnswer {
  name: string;
  status: number;
  text: string;
}

/** Every route that needs somebody. */
export const guardedRoutes: readonly NamedRoute[] = allRoutes.filter(
  ({ router, route }) =>
    route.access !== 'public' &&
    router.basePath.startsWith('/api/') &&
    !publicPrefixes.some((prefix) => router.basePath.startsWith(prefix)),
);

/**
 * Calls each route, without a body, with these identifiers in its path; others get an identifier without a resource.
 */
export async function callGuardedRoutes(
  origin: string,
  { resources = {}, headers = {} }: { resources?: Record<string, string>; headers?: Record<string, string> },
): Promise<RouteAnswer[]> {
  const answers: RouteAnswer[] = [];
  await forAll(guardedRoutes, async (named) => {
    const unknown = pathParams(named.route).map((name) => [name, randomUUID()] as const);
    const path = pathOf(named, { ...Object.fromEntries(unknown), ...resources });
    const method = named.route.method.toUpperCase();
    answers.push({
      name: `${method} ${path}`,
      ...(await askUntilAnswered(origin + path, { method, headers })),
    });
  });
  return answers;
}
