import { WhatsAppSecrets } from '@botyard/contracts/platforms/whatsapp';
import type { AccountTrial, CheckedAccount } from '../../domain/account.ts';
import type { CallResult } from '../clients/answers.ts';
import type { Deps } from '../deps.ts';
import { accessOfSecrets } from './access.ts';

const Credentials = WhatsAppSecrets.omit({ verifyToken: true });

/**
 * Tries the credentials: the token and the app's secret together (every call proves both), the number, and that it
 * belongs to the account.
 */
export async function checkAccount(
  { graph }: Pick<Deps, 'graph'>,
  trial: Pick<AccountTrial, 'credentials'>,
): Promise<CheckedAccount> {
  const credentials = Credentials.parse(trial.credentials);
  const { phoneNumberId, businessAccountId } = credentials;
  const access = accessOfSecrets(credentials);
  const number = await graph.getNumber(access, phoneNumberId);
  if (number.outcome !== 'ok') return verdictOf(number, 'phoneNumberId');
  const numbers = await graph.listNumberIds(access, businessAccountId);
  if (numbers.outcome !== 'ok') return verdictOf(numbers, 'businessAccountId');
  if (!numbers.result.includes(phoneNumberId))
    return {
      outcome: 'refused',
      reason: 'phoneNumberId: the number does not belong to this WhatsApp Business account',
    };
  const isLow = number.result.quality === 'RED';
  const warnings = isLow ? { warnings: ['WhatsApp rates the quality of this number as low'] } : {};
  return { outcome: 'ok', accountId: phoneNumberId, secrets: {}, ...warnings };
}

type Failure = Exclude<CallResult<unknown>, { outcome: 'ok' }>;

function verdictOf(answer: Failure, object: string): CheckedAccount {
  if (answer.outcome === 'limited') {
    const wait = answer.retryAfterMs === undefined ? {} : { retryInMs: answer.retryAfterMs };
    return { outcome: 'failed', reason: 'the platform asks to wait', ...wait };
  }
  if (answer.outcome === 'failed') return { outcome: 'failed', reason: answer.reason };
  return { outcome: 'refused', reason: refusalOf(answer, object) };
}

function refusalOf({ code, reason }: Extract<Failure, { outcome: 'refused' }>, object: string): string {
  if (/appsecret_proof/i.test(reason))
    return 'appSecret: it is not the secret of the app that the token belongs to';
  if (code === 190 || code === 0)
    return 'accessToken: the platform does not accept it, or it has expired (190)';
  if (code === 10 || (code >= 200 && code < 300))
    return `accessToken: it lacks the permissions whatsapp_business_messaging or whatsapp_business_management (${code})`;
  return `${object}: ${reason} (${code})`;
}
