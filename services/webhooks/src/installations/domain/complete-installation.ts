import { installIntegration } from '@botyard/contracts/events/tenancy-installations';
import { accountBinding } from '@botyard/contracts/events/webhook-accounts';
import { installPath } from '@botyard/contracts/http/installations';
import type { PlatformName } from '@botyard/contracts/http/platform';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { sealJson } from '@botyard/shared/secrets/sealed-json';
import type { Semaphore } from '@botyard/shared/work/semaphore';
import type { CheckedAccount, Installer } from '../../platforms/domain/account.ts';
import type { Deps } from '../deps.ts';
import { type InstallationRow, takeInstallation } from '../store/installations.ts';
import { hashOf } from './hash.ts';

/** The parameters with which a person comes back from the platform, and the secret of their browser's cookie. */
export interface Return {
  state: string;
  browser: string | undefined;
  code?: string | undefined;
  error?: string | undefined;
}

/** The end of an installation, which a page shows to the person. */
export type Ending =
  | { ending: 'connected' | 'cancelled' | 'account in use' | 'bot not found' | 'not allowed'; botId: string }
  | { ending: 'refused' | 'platform failed' | 'not saved'; botId: string; reason: string }
  /** It was not begun in this browser, or it is over. */
  | { ending: 'unknown' }
  | { ending: 'unreadable' };

/** Less than the gateway waits for an answer, together with the request that saves the installation. */
const maxExchangeMs = 6000;

/**
 * Completes an installation that was begun in this browser: exchanges the code at the platform, and has tenancy save
 * the integration. A crash in between leaves nothing behind, and the person begins again.
 */
export async function completeInstallation(
  deps: Deps,
  exchanges: Semaphore,
  platform: PlatformName,
  { state, browser, code, error }: Return,
): Promise<Ending> {
  const { installer } = deps.platforms[platform];
  if (!installer || browser === undefined) return { ending: 'unknown' };
  const wanted = { stateHash: hashOf(state), browserHash: hashOf(browser), platform };
  const installation = await withPlatform(deps.database, 'the end of an installation', (tx) =>
    takeInstallation(tx, wanted),
  );
  if (!installation) return { ending: 'unknown' };
  const { tenantId, botId } = installation;
  if (error === 'access_denied') return { ending: 'cancelled', botId };
  if (error !== undefined) return { ending: 'refused', botId, reason: error };
  if (code === undefined) return { ending: 'unreadable' };
  const account = await exchange(deps, exchanges, installer, installation, code);
  if (account.outcome === 'ok') return await save(deps, installation, account);
  const { reason } = account;
  deps.log.info({ tenantId, botId, platform, reason }, 'an installation was not completed');
  return { ending: account.outcome === 'refused' ? 'refused' : 'platform failed', botId, reason };
}

async function exchange(
  { publicBaseUrl }: Pick<Deps, 'publicBaseUrl'>,
  exchanges: Semaphore,
  installer: Installer,
  { tenantId, platform }: InstallationRow,
  code: string,
): Promise<CheckedAccount> {
  const redirectUri = `${publicBaseUrl}${installPath(platform)}`;
  try {
    return await exchanges.run(tenantId, () =>
      installer.complete({ code, redirectUri, signal: AbortSignal.timeout(maxExchangeMs) }),
    );
  } catch (error) {
    if (error instanceof HttpError && error.status === 503)
      return { outcome: 'failed', reason: error.message };
    throw error;
  }
}

async function save(
  { bus, keyring, log }: Pick<Deps, 'bus' | 'keyring' | 'log'>,
  { tenantId, botId, platform, identity }: InstallationRow,
  { accountId, secrets }: Extract<CheckedAccount, { outcome: 'ok' }>,
): Promise<Ending> {
  const sealedSecrets = await sealJson(keyring, secrets, accountBinding({ tenantId, botId }));
  const installed = { tenantId, botId, platform, identity, accountId, sealedSecrets };
  try {
    const answer = await ask(bus, installIntegration, installed);
    if (answer.outcome === 'installed') return { ending: 'connected', botId };
    const { reason } = answer;
    log.info({ tenantId, botId, platform, reason }, 'an installation was not saved');
    return reason === 'not readable' ? { ending: 'not saved', botId, reason } : { ending: reason, botId };
  } catch (error) {
    log.warn({ err: error, tenantId, botId, platform }, 'an installation could not be saved');
    return { ending: 'not saved', botId, reason: 'no answer' };
  }
}
