import { Secret } from '@botyard/shared/secrets/secret';
import type { AccountTrial, CheckedAccount } from '../../domain/account.ts';
import type { MessengerClient } from '../clients/messenger.ts';

const tokenShape = /^[1-9]\d{0,15}:[A-Za-z0-9_-]{1,70}$/;

const refused: CheckedAccount = {
  outcome: 'refused',
  reason: 'the messenger does not accept this bot token',
};

/** The platform answers 401 or 404 for a wrong token. Any other answer shows nothing about the token (Bot API). */
export async function checkAccount(
  messenger: MessengerClient,
  { credentials: { botToken = '' }, signal }: AccountTrial,
): Promise<CheckedAccount> {
  if (!tokenShape.test(botToken)) return refused;
  const answer = await messenger.getMe(new Secret(botToken), signal);
  switch (answer.outcome) {
    case 'ok': {
      if (!answer.result) return unusable;
      const { platformBotId, username: botUsername } = answer.result;
      return { outcome: 'ok', accountId: platformBotId, secrets: { platformBotId, botUsername } };
    }
    case 'refused':
      return answer.status === 401 || answer.status === 404 ? refused : unusable;
    case 'limited':
      return { outcome: 'failed', reason: 'the messenger asks to wait', retryInMs: answer.retryAfterMs };
    case 'failed':
      return {
        outcome: 'failed',
        reason: 'the messenger does not answer, so the bot token could not be checked: try again later',
      };
  }
}

const unusable: CheckedAccount = {
  outcome: 'failed',
  reason: 'the messenger gave no usable answer about the bot token',
};
