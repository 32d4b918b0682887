import {
  defaultLanguageOfBots,
  type SpokenLanguage,
  spokenLanguages,
} from '@botyard/contracts/http/bot-words';
import type { MessengerSecrets } from '@botyard/contracts/platforms/messenger';
import { backoffMs } from '@botyard/shared/bus/dead-letters';
import { Secret } from '@botyard/shared/secrets/secret';
import { speaking } from '@botyard/words/words';
import type { RepairReason } from '../../../store/webhook-checks-schema.ts';
import {
  type Check,
  fingerprintOf,
  type KnownRegistration,
  type Registration,
} from '../../domain/registration.ts';
import type { CallResult, MessengerClient, WebhookInfo } from '../clients/messenger.ts';

/** The platform sends a secret that is refused here. Only registering again helps, even if nothing here changed. */
const refusedHere = /\b(?:401|403)\b/;

/** The commands in the messenger's menu. */
function commandsIn(language: SpokenLanguage) {
  const say = speaking(language);
  return [
    { command: 'start', description: say('menu_start') },
    { command: 'help', description: say('menu_help') },
    { command: 'new', description: say('menu_new') },
    { command: 'stop', description: say('menu_stop') },
  ];
}

/** Sets the menu for everybody, and one per language. Bots also work without it, so it is not retried. */
async function setMenu(messenger: MessengerClient, token: Secret): Promise<void> {
  const ofAll = messenger.setCommands(token, commandsIn(defaultLanguageOfBots));
  // In parallel, because a registration is held for no longer than its calls take.
  await Promise.all([
    ofAll,
    ...spokenLanguages.map((language) => messenger.setCommands(token, commandsIn(language), language)),
  ]);
}

/**
 * Reads the current webhook first and sets it only if the address or the secret differs. The platform never returns the
 * secret, so the last registered one is identified by a stored fingerprint (REQ-HOOK-5).
 */
export async function registerWebhook(
  messenger: MessengerClient,
  url: string,
  secrets: MessengerSecrets,
  known: KnownRegistration,
): Promise<Registration> {
  const token = new Secret(secrets.botToken);
  const fingerprint = fingerprintOf(url, secrets.botToken, secrets.webhookSecretToken);
  const current = await messenger.getWebhookInfo(token);
  if (current.outcome !== 'ok') return failureOf(current, known.registrationAttempts);
  const { pendingUpdates, lastError, lastErrorAt } = current.result;
  const repair = known.check && repairOf(current.result, url, known.check);
  if (current.result.url === url && known.registeredFingerprint === fingerprint && !repair) {
    return { state: 'registered', fingerprint, pendingUpdates, lastError };
  }
  await known.check?.pause();
  const set = await messenger.setWebhook(token, { url, secretToken: secrets.webhookSecretToken });
  if (set.outcome !== 'ok') return failureOf(set, known.registrationAttempts);
  // A repaired bot has its menu, unless its registration had failed until now.
  if (!known.check || known.registeredFingerprint !== fingerprint) await setMenu(messenger, token);
  const reason = repair ?? (known.check && 'settings');
  return { state: 'registered', fingerprint, pendingUpdates, repair: reason, answeredErrorAt: lastErrorAt };
}

/**
 * A polled bot counts as registered when the platform has no webhook for it. Updates that are pending there are kept.
 */
export async function registerForPolling(
  messenger: MessengerClient,
  { botToken }: MessengerSecrets,
  { registeredFingerprint, registrationAttempts, check }: KnownRegistration,
): Promise<Registration> {
  const token = new Secret(botToken);
  const fingerprint = fingerprintOf('polling', botToken);
  const current = await messenger.getWebhookInfo(token);
  if (current.outcome !== 'ok') return failureOf(current, registrationAttempts);
  const { url, pendingUpdates } = current.result;
  if (url !== '') {
    await check?.pause();
    const removed = await messenger.deleteWebhook(token);
    if (removed.outcome !== 'ok') return failureOf(removed, registrationAttempts);
  }
  if (registeredFingerprint !== fingerprint) await setMenu(messenger, token);
  return { state: 'registered', fingerprint, pendingUpdates, repair: check && url ? 'address' : undefined };
}

function repairOf(found: WebhookInfo, url: string, { answeredErrorAt }: Check): RepairReason | undefined {
  if (found.url !== url) return found.url === '' ? 'removed' : 'address';
  const isNew = (found.lastErrorAt?.getTime() ?? 0) > (answeredErrorAt?.getTime() ?? 0);
  return isNew && refusedHere.test(found.lastError ?? '') ? 'secret' : undefined;
}

/**
 * Removes the webhook, unless the token delivers to another address by now. Resolves with the time until a retry, if
 * there is one.
 */
export async function removeWebhook(
  messenger: MessengerClient,
  url: string,
  botToken: Secret,
  attempts: number,
): Promise<{ isGone: boolean; retryInMs: number | null }> {
  const current = await messenger.getWebhookInfo(botToken);
  const isElsewhere = current.outcome === 'ok' && current.result.url !== '' && current.result.url !== url;
  if (isElsewhere) return { isGone: true, retryInMs: null };
  const result = current.outcome === 'ok' ? await messenger.deleteWebhook(botToken) : current;
  // A refusal means that the token is no longer valid, so there is nothing left to remove.
  if (result.outcome === 'ok' || result.outcome === 'refused') return { isGone: true, retryInMs: null };
  return { isGone: false, retryInMs: failureOf(result, attempts).retryInMs };
}

function failureOf(
  result: Exclude<CallResult<unknown>, { outcome: 'ok' }>,
  attempts: number,
): Extract<Registration, { retryInMs: number | null }> {
  switch (result.outcome) {
    case 'refused':
      return { state: 'failed', lastError: result.reason, retryInMs: null };
    case 'limited':
      return {
        state: 'pending',
        lastError: 'the platform asks to wait',
        retryInMs: Math.max(result.retryAfterMs, backoffMs(attempts)),
      };
    case 'failed':
      return { state: 'pending', lastError: result.reason, retryInMs: backoffMs(attempts) };
  }
}
