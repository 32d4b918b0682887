import { installCookies, installPath } from '@botyard/contracts/http/installations';
import { type PlatformName, platformDefinitions } from '@botyard/contracts/http/platform';
import { browserSecretOf, otherAddressOf, sendReturnPage } from '@botyard/shared/http/return-page';
import { Semaphore } from '@botyard/shared/work/semaphore';
import type { Express, Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { completeInstallation, type Ending } from '../domain/complete-installation.ts';
import { pathOf, wordsOf } from './pages.ts';

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
    const elsewhere = isLook ? undefined : otherAddressOf(req, cookieOf(deps));
    if (elsewhere !== undefined) return res.redirect(303, elsewhere);
    const ending = isLook ? ({ ending: 'unknown' } as const) : await end(deps, exchanges, platform, req);
    sendReturnPage(res, wordsOf(ending, title), pathOf(ending));
  };
}

async function end(deps: Deps, exchanges: Semaphore, platform: PlatformName, req: Request): Promise<Ending> {
  const query = Query.safeParse(req.query);
  if (!query.success) return { ending: 'unreadable' };
  const browser = browserSecretOf(req, cookieOf(deps));
  return await completeInstallation(deps, exchanges, platform, { ...query.data, browser });
}

const cookieOf = ({ publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>) => ({
  publicBaseUrl,
  names: installCookies,
});
