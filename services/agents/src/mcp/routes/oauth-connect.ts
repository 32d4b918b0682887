import { oauthConnectPath } from '@botyard/contracts/http/oauth-client';
import { HttpError } from '@botyard/shared/http/errors';
import { exchangeOf } from '@botyard/shared/http/exchange';
import { sendPlainPage } from '@botyard/shared/http/return-page';
import type { AppParts } from '@botyard/shared/service/foundation';
import type { Deps } from '../deps.ts';
import { followLink, viewLink } from '../domain/links.ts';
import { linkFailed, linkOver, wordsOfLink } from './sign-in-pages.ts';

type Response = Parameters<typeof sendPlainPage>[0];
type App = Parameters<NonNullable<AppParts<Deps>['mountMore']>>[0];

const token = /^[0-9a-f]{64}$/;

/**
 * The page of a link by which a person connects an account of their own. Looking at it ends nothing, because programs
 * look at links before people do. Its button opens the link, which works once.
 */
export function mountOauthConnect(app: App, deps: Deps): void {
  const path = `${oauthConnectPath}/:token`;
  app.get(path, async (req, res) => {
    await sendLinkPage(deps, res, req.params.token);
  });
  app.post(path, async (req, res) => {
    // Another site can't press the button in a person's browser: they would not have read the page.
    if (isOfOtherSite(req.get('sec-fetch-site'))) return await sendLinkPage(deps, res, req.params.token);
    try {
      const href = token.test(req.params.token)
        ? await followLink(deps, exchangeOf(req, res), req.params.token)
        : undefined;
      if (!href) return sendPlainPage(res, linkOver);
      const words = { status: 200, title: 'Sign in', text: `You sign in at ${new URL(href).host}.` };
      sendPlainPage(res, words, { type: 'go on', words: 'Go on', href });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      sendPlainPage(res, linkFailed(error));
    }
  });
}

const isOfOtherSite = (site: string | undefined): boolean => site !== undefined && site !== 'same-origin';

async function sendLinkPage(deps: Deps, res: Response, secret: string): Promise<void> {
  const view = token.test(secret) ? await viewLink(deps, secret) : undefined;
  if (!view) return sendPlainPage(res, linkOver);
  sendPlainPage(res, wordsOfLink(view), { type: 'button', words: 'Go on and sign in' });
}
