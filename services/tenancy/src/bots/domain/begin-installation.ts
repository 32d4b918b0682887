import { createHash, randomBytes } from 'node:crypto';
import { beginInstallation as request } from '@botyard/contracts/events/webhook-accounts';
import { type Authorization, installCookies, installSeconds } from '@botyard/contracts/http/installations';
import { platformDefinitions } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import { type Caller, identityOf } from '@botyard/shared/auth/caller';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { notFound, unprocessable } from '@botyard/shared/http/errors';
import type { Exchange } from '@botyard/shared/http/exchange';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { getBot } from '../store/bots.ts';

/** The bot, and the platform by its name in the path. */
interface Beginning {
  caller: Caller;
  tenantId: string;
  botId: string;
  name: string;
}

/**
 * Begins the installation of a platform's app, and ties it to the admin's browser: an address that somebody else opens
 * connects nothing.
 * @throws HttpError 404 for an unknown bot or platform, 422 without an app, 503 when webhooks doesn't answer.
 */
export async function beginInstallation(
  deps: Pick<Deps, 'bus' | 'database' | 'publicBaseUrl'>,
  exchange: Exchange,
  { caller, tenantId, botId, name: platformName }: Beginning,
): Promise<z.input<typeof Authorization>> {
  found(await withTenant(deps.database, [tenantId], (tx) => getBot(tx, tenantId, botId)), 'bot');
  const platform = platformNames.find((known) => known === platformName);
  if (!platform) throw notFound('platform');
  const { installs, title } = platformDefinitions[platform];
  if (!installs) throw unprocessable(`${title} has no app to install: create the integration instead`);
  const isSecure = deps.publicBaseUrl.startsWith('https:');
  const name = isSecure ? installCookies.secure : installCookies.local;
  const browser = secretIn(exchange.cookie(name)) ?? randomBytes(32).toString('base64url');
  const browserHash = createHash('sha256').update(browser).digest('hex');
  const answer = await ask(deps.bus, request, {
    tenantId,
    botId,
    platform,
    identity: identityOf(caller),
    browserHash,
  });
  if (answer.outcome === 'refused') throw unprocessable(answer.reason);
  exchange.setCookie({ name, value: browser, maxAgeSeconds: installSeconds, isSecure });
  return { url: answer.url, expiresAt: answer.expiresAt };
}

/** The browser's secret of an installation that it began before: both can be completed. */
const secretIn = (cookie: string | undefined): string | undefined =>
  cookie !== undefined && /^[\w-]{43}$/.test(cookie) ? cookie : undefined;
