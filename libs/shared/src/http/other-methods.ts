import type { AnyRoute, Router } from '@botyard/contracts/http/contract';
import type { Express, Request, Response } from 'express';
import {
  type AdmissionOptions,
  admitTo,
  identityOf,
  namesAnotherPath,
  refuseMalformedId,
} from './admission.ts';
import { HttpError } from './errors.ts';

interface Mounted {
  router: Router;
  route: AnyRoute;
}

/**
 * Answers 405 with `Allow` if a path of these contracts exists with other methods and the caller may use one of them.
 * Other callers get the response of the path's routes. Mounted after the routes. HEAD is included in GET.
 */
export function refuseOtherMethods(
  app: Express,
  routers: readonly Router[],
  options: AdmissionOptions,
): void {
  const mounted = routers.flatMap((router) =>
    Object.values(router.routes).map((route): Mounted => ({ router, route })),
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
      if (routes.every(({ route, router }) => namesAnotherPath(req, route, router))) return next();
      refuseMalformedId(req, await admitToAny(routes, { req, res, options }));
      res.setHeader('Allow', allow);
      throw new HttpError(405, `this path does not take ${req.method}, but ${allow}`);
    });
  }
}

const pathOf = ({ router, route }: Mounted): string =>
  `${router.basePath}${route.path === '/' ? '' : route.path}`;

/** The route that admits the caller. @throws HttpError of the first route, if no route does. */
async function admitToAny(
  routes: readonly Mounted[],
  exchange: { req: Request; res: Response; options: AdmissionOptions },
): Promise<AnyRoute> {
  const identity = await identityOf(exchange.req, exchange.options);
  const refusals: unknown[] = [];
  const differing = new Map(routes.map((one) => [one.route.access, one]));
  for (const { route, router } of differing.values()) {
    try {
      await admitTo(route, router, { ...exchange, identity });
      return route;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw refusals[0];
}
