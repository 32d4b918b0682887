import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import type { Express, Request, Response } from 'express';
import { type AdmissionOptions, admitTo, identityOf } from './admission.ts';
import { HttpError } from './errors.ts';

interface Mounted {
  basePath: string;
  route: AnyRoute;
}

/**
 * Answers 405 with `Allow` if a path of these contracts exists with other methods and the caller may use one of them.
 * Other callers get the response of the path's routes. Mounted after the routes. HEAD is included in GET; OPTIONS is
 * not offered.
 */
export function refuseOtherMethods(
  app: Express,
  routers: readonly Router[],
  options: AdmissionOptions,
): void {
  const mounted = routers.flatMap(({ basePath, routes }) =>
    Object.values(routes).map((route): Mounted => ({ basePath, route })),
  );
  const places = [...Map.groupBy(mounted, (one) => pathOf(one).replaceAll(/:\w+/g, ':')).entries()];
  // The path with fewer parameters is more specific.
  places.sort(([left], [right]) => left.split(':').length - right.split(':').length);
  for (const [, routes] of places) {
    const [first] = routes;
    if (!first) continue;
    const methods = [...new Set(routes.map(({ route }) => route.method.toUpperCase()))].sort();
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    app.all(pathOf(first), async (req, res, next) => {
      if (req.method === 'OPTIONS' || req.method === 'HEAD') return next();
      await admitToAny(routes, { req, res, options });
      res.setHeader('Allow', allow);
      throw new HttpError(405, `this path does not take ${req.method}, but ${allow}`);
    });
  }
}

const pathOf = ({ basePath, route }: Mounted): string => `${basePath}${route.path === '/' ? '' : route.path}`;

/** @throws HttpError of the first route, if no route admits the caller. */
async function admitToAny(
  routes: readonly Mounted[],
  exchange: { req: Request; res: Response; options: AdmissionOptions },
): Promise<void> {
  const identity = await identityOf(exchange.req, exchange.options);
  const refusals: unknown[] = [];
  const differing = new Map(routes.map((one) => [`${one.route.access} ${one.route.acceptsTokens}`, one]));
  for (const { route, basePath } of differing.values()) {
    try {
      return await admitTo(route, basePath, { ...exchange, identity });
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}
