import { accountBinding, type checkAccount, TriedSecrets } from '@botyard/contracts/events/webhook-accounts';
import type { Binding, Keyring } from '@botyard/shared/secrets/keyring';
import { openJson, sealJson } from '@botyard/shared/secrets/sealed-json';
import { Semaphore } from '@botyard/shared/work/semaphore';
import type { z } from 'zod';
import type { CheckedAccount } from '../../platforms/domain/account.ts';
import type { Deps } from '../deps.ts';

type Trial = z.output<(typeof checkAccount)['request']>;
type Answer = z.input<(typeof checkAccount)['response']>;

/** The longest trial, whatever the platform does. */
const maxTrialMs = 10_000;

/** Trials at a time. A tenant whose platform hangs holds its own share only. */
export const createTrials = (maxWaitMs = 4000): Semaphore =>
  new Semaphore(32, {
    maxOfOne: 4,
    maxWaitingOfOne: 16,
    maxWaiting: 256,
    maxWaitMs,
    busy: 'too many credentials are being checked at the moment: try again later',
  });

/**
 * Tries an integration's credentials with the platform's adapter.
 * @throws HttpError 503 while too many of the tenant's trials run.
 */
export async function tryAccount(
  { keyring, platforms, log }: Pick<Deps, 'keyring' | 'platforms' | 'log'>,
  trials: Semaphore,
  { platform, sealed, ...trial }: Trial,
): Promise<Answer> {
  const { checkAccount } = platforms[platform];
  if (!checkAccount) return { outcome: 'refused', reason: 'this platform has no trial of credentials' };
  const secrets = await openTried(keyring, accountBinding(trial), sealed);
  if (!secrets) return { outcome: 'failed', reason: 'the credentials can not be opened' };
  const checked: CheckedAccount = await trials.run(trial.tenantId, () =>
    checkAccount({ ...trial, ...secrets, signal: AbortSignal.timeout(maxTrialMs) }),
  );
  const { tenantId, botId } = trial;
  if (checked.outcome !== 'ok') {
    log.info({ tenantId, botId, platform, reason: checked.reason }, 'credentials were not accepted');
    return checked;
  }
  const { accountId, secrets: accountSecrets, warnings } = checked;
  const sealedSecrets = await sealJson(keyring, accountSecrets, accountBinding(trial));
  return { outcome: 'ok', accountId, sealedSecrets, ...(warnings && { warnings: [...warnings] }) };
}

/** Resolves with `undefined` if they were sealed by other keys, or for another bot. */
const openTried = async (
  keyring: Keyring,
  binding: Binding,
  sealed: string,
): Promise<TriedSecrets | undefined> => {
  const opened = await openJson(keyring, sealed, binding).catch(() => undefined);
  return opened === undefined ? undefined : TriedSecrets.parse(opened);
};
