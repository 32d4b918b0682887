import { installCookies, installPath } from '@botyard/contracts/http/installations';
import { type PlatformName, platformDefinitions } from '@botyard/contracts/http/platform';
import { exchangeOf } from '@botyard/shared/http/exchange';
import { Semaphore } from '@botyard/shared/work/semaphore';
import type { Express, Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { completeInstallation, type Ending } from '../domain/complete-installation.ts';
import { pageOf, policy } from './pages.ts';

const Query = z.object({
  state: z.string().regex(/^[\w-]{43}$/),
  code: z.string().min(1).max(1000).optional(),
  error: z
    .string()
    .regex(/^\w{1,100}$/)
    .optional(),
});

/** Exchanges at a time. A tenant's own stay within its share. */
const createExchanges = () =>
  new Semaphore(16, {
    maxOfOne: 2,
    maxWaitingOfOne: 4,
    maxWaiting: 64,
    maxWaitMs: 1000,
    busy: 'too many installations are being completed at the moment',
  });

/**
 * The addresses to which platforms send people back. Mounted after the gateway check and the limiter for everything
 * under /webhooks. They have no time budget of a delivery.
 */
export function mountInstallations(app: Express, deps: Deps, { pause }: { pause: RequestHandler }): void {
  const exchanges = createExchanges();
  for (const { name, installer } of Object.values(deps.platforms)) {
    if (installer) app.get(installPath(name), pause, complete(deps, exchanges, name));
  }
}

function complete(deps: Deps, exchanges: Semaphore, platform: PlatformName): RequestHandler {
  const { title } = platformDefinitions[platform];
  return async (req, res) => {
    // A program that looks at the address before the person does ends nothing.
    const isLook = req.method === 'HEAD';
    const elsewhere = isLook ? undefined : otherNameOf(deps, req);
    if (elsewhere !== undefined) return res.redirect(303, elsewhere);
    const ending = isLook ? ({ ending: 'unknown' } as const) : await end(deps, exchanges, platform, req);
    const { status, html } = pageOf(ending, title);
    res.set({
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // The address holds the code and the state.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    res.status(status).end(html);
  };
}

async function end(deps: Deps, exchanges: Semaphore, platform: PlatformName, req: Request): Promise<Ending> {
  const query = Query.safeParse(req.query);
  if (!query.success) return { ending: 'unreadable' };
  const browser = browserOf(deps, req);
  return await completeInstallation(deps, exchanges, platform, { ...query.data, browser });
}

/** The secret of the browser's cookie. */
function browserOf({ publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>, req: Request): string | undefined {
  const name = publicBaseUrl.startsWith('https:') ? installCookies.secure : installCookies.local;
  return exchangeOf(req, req.res!).cookie(name);
}

const otherNames: Readonly<Record<string, string>> = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' };

/** A developer's machine has two names, and the console may have been opened under the other one. Tried once. */
function otherNameOf(deps: Pick<Deps, 'publicBaseUrl'>, req: Request): string | undefined {
  const url = new URL(deps.publicBaseUrl);
  const hostname = otherNames[url.hostname];
  if (hostname === undefined || 'again' in req.query || browserOf(deps, req) !== undefined) return undefined;
  url.hostname = hostname;
  url.pathname = req.path;
  url.search = new URL(req.originalUrl, url).search;
  url.searchParams.set('again', 'true');
  return url.href;
}
