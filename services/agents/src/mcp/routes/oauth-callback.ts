import { oauthCallbackPath, signInCookies } from '@botyard/contracts/http/oauth-client';
import { exchangeOf } from '@botyard/shared/http/exchange';
import type { AppParts } from '@botyard/shared/service/foundation';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { completeSignIn, type Ending } from '../domain/complete-sign-in.ts';
import { pageOf, policy } from './sign-in-pages.ts';

type Request = Parameters<typeof exchangeOf>[0];
type App = Parameters<NonNullable<AppParts<Deps>['mountMore']>>[0];

const Query = z.object({
  state: z.string().regex(/^[\w-]{43}$/),
  code: z.string().min(1).max(2000).optional(),
  iss: z.string().max(2000).optional(),
  error: z
    .string()
    .regex(/^\w{1,100}$/)
    .optional(),
});

/** The address to which authorization servers send people back. The state and the browser's cookie are its check. */
export function mountOauthCallback(app: App, deps: Deps): void {
  app.get(oauthCallbackPath, async (req, res) => {
    // A program that looks at the address before the person does ends nothing.
    const elsewhere = req.method === 'HEAD' ? undefined : otherNameOf(deps, req);
    if (elsewhere !== undefined) return res.redirect(303, elsewhere);
    const { status, html } = pageOf(req.method === 'HEAD' ? { ending: 'unknown' } : await end(deps, req));
    res.set({
      'content-security-policy': policy,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // The address holds the code and the state.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    res.status(status).end(html);
  });
}

async function end(deps: Deps, req: Request): Promise<Ending> {
  const query = Query.safeParse(req.query);
  if (!query.success) return { ending: 'unreadable' };
  return await completeSignIn(deps, { ...query.data, browser: browserOf(deps, req) });
}

/** The secret of the browser's cookie. */
function browserOf({ publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>, req: Request): string | undefined {
  const name = publicBaseUrl.startsWith('https:') ? signInCookies.secure : signInCookies.local;
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
