import { oauthCallbackPath, signInCookies } from '@botyard/contracts/http/oauth-client';
import { browserSecretOf, otherAddressOf, sendPlainPage } from '@botyard/shared/http/return-page';
import type { AppParts } from '@botyard/shared/service/foundation';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import { completeSignIn } from '../domain/complete-sign-in.ts';
import type { Ending } from '../domain/ending.ts';
import { nextStepOf, wordsOf } from './sign-in-pages.ts';

type Request = Parameters<typeof browserSecretOf>[0];
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
    const isLook = req.method === 'HEAD';
    const elsewhere = isLook ? undefined : otherAddressOf(req, cookieOf(deps));
    if (elsewhere !== undefined) return res.redirect(303, elsewhere);
    const ending = isLook ? ({ ending: 'unknown' } as const) : await end(deps, req);
    sendPlainPage(res, wordsOf(ending), nextStepOf(ending));
  });
}

async function end(deps: Deps, req: Request): Promise<Ending> {
  const query = Query.safeParse(req.query);
  if (!query.success) return { ending: 'unreadable' };
  return await completeSignIn(deps, { ...query.data, browser: browserSecretOf(req, cookieOf(deps)) });
}

const cookieOf = ({ publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>) => ({
  publicBaseUrl,
  names: signInCookies,
});
