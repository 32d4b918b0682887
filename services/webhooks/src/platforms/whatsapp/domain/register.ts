import type { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { withPlatform } from '@botyard/shared/db/database';
import { fingerprintOf, type KnownRegistration, type Registration } from '../../domain/registration.ts';
import type { CallResult } from '../clients/answers.ts';
import type { BusinessNumber } from '../clients/results.ts';
import type { Deps } from '../deps.ts';
import { deleteNumber, saveNumber } from '../store/numbers.ts';
import { accessOfSecrets } from './access.ts';
import { syncTemplates } from './templates.ts';

type RegisterDeps = Pick<Deps, 'graph' | 'database' | 'log'>;

/**
 * Subscribes the app to the account, and points the number's deliveries to its bot. An account may have several numbers
 * with a bot each: its own address is left alone when it already leads to this installation, and the number's goes
 * before it. The platform calls the address during both calls. The account's templates are read afterwards, and at
 * each check.
 */
export async function registerNumber(
  deps: RegisterDeps,
  url: string,
  secrets: WhatsAppSecrets,
  known: KnownRegistration,
): Promise<Registration> {
  const registration = await subscribeNumber(deps, url, secrets, known);
  if (registration.state === 'registered') await syncTemplates(deps, known, secrets);
  return registration;
}

async function subscribeNumber(
  { graph, database }: RegisterDeps,
  url: string,
  secrets: WhatsAppSecrets,
  known: KnownRegistration,
): Promise<Registration> {
  const { phoneNumberId, businessAccountId, verifyToken } = secrets;
  const access = accessOfSecrets(secrets);
  const fingerprint = fingerprintOf(url, secrets.accessToken, secrets.appSecret, verifyToken);
  const failure = (answer: Failure) => failureOf(answer, known.registrationAttempts);
  const number = await graph.getNumber(access, phoneNumberId);
  if (number.outcome !== 'ok') return failure(number);
  await withPlatform(database, "remember a number's account", (tx) =>
    saveNumber(tx, { phoneNumberId, businessAccountId, displayNumber: digitsOf(number.result) }),
  );
  const addresses = await graph.listCallbackUrls(access, businessAccountId);
  if (addresses.outcome !== 'ok') return failure(addresses);
  const isSubscribed = addresses.result.some((address) => isOurs(address, url));
  const isCurrent = number.result.callbackUrl === url && known.registeredFingerprint === fingerprint;
  if (isSubscribed && isCurrent) return { state: 'registered', fingerprint, pendingUpdates: 0 };
  await known.check?.pause();
  if (!isSubscribed) {
    const subscribed = await graph.subscribeApp(access, businessAccountId, { url, verifyToken });
    if (subscribed.outcome !== 'ok') return failure(subscribed);
  }
  const set = await graph.setNumberCallback(access, phoneNumberId, { url, verifyToken });
  if (set.outcome !== 'ok') return failure(set);
  return {
    state: 'registered',
    fingerprint,
    pendingUpdates: 0,
    repair: known.check && repairOf(number.result, url),
  };
}

/** Another program's address is left alone. The account's subscription stays, because other numbers may need it. */
export async function removeNumber(
  { graph, database }: RegisterDeps,
  url: string,
  secrets: WhatsAppSecrets,
  attempts: number,
): Promise<{ isGone: boolean; retryInMs: number | null }> {
  const { phoneNumberId } = secrets;
  const access = accessOfSecrets(secrets);
  const number = await graph.getNumber(access, phoneNumberId);
  const isOurOwn = number.outcome === 'ok' && number.result.callbackUrl === url;
  const result = isOurOwn ? await graph.setNumberCallback(access, phoneNumberId, undefined) : number;
  const isGone = result.outcome === 'ok' || result.outcome === 'refused';
  if (isGone) await withPlatform(database, 'forget a number', (tx) => deleteNumber(tx, phoneNumberId));
  return { isGone, retryInMs: isGone ? null : waitMsAfter(result, attempts) };
}

/** Addresses of this installation differ in the bot only. */
const isOurs = (address: string, url: string): boolean =>
  address !== '' && address.slice(0, address.lastIndexOf('/')) === url.slice(0, url.lastIndexOf('/'));

const repairOf = ({ callbackUrl }: BusinessNumber, url: string) => {
  if (callbackUrl === '') return 'removed' as const;
  return callbackUrl === url ? ('settings' as const) : ('address' as const);
};

const digitsOf = ({ displayNumber }: BusinessNumber): string => displayNumber.replace(/\D/g, '');

type Failure = Exclude<CallResult<unknown>, { outcome: 'ok' }>;

function failureOf(answer: Failure, attempts: number): Registration {
  const retryInMs = waitMsAfter(answer, attempts);
  if (answer.outcome === 'refused') {
    const lastError = `${answer.details || answer.reason} (${answer.code})`;
    // The platform reports a check of the address that failed as a refusal. The address may be reachable later.
    return isOfCallback(answer)
      ? { state: 'failed', lastError, retryInMs }
      : { state: 'failed', lastError, retryInMs: null };
  }
  const lastError = answer.outcome === 'limited' ? 'the platform asks to wait' : answer.reason;
  return { state: 'pending', lastError, retryInMs };
}

const isOfCallback = ({ code, reason }: Extract<Failure, { outcome: 'refused' }>): boolean =>
  code === 2200 || /callback/i.test(reason);

const waitMsAfter = (answer: CallResult<unknown>, attempts: number): number =>
  (answer.outcome === 'limited' ? answer.retryAfterMs : undefined) ?? backoffMs(attempts + 1);
