import { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';
import type { CheckedAccount } from '../../domain/account.ts';
import { loose } from '../../domain/fields.ts';
import type { CallResult, SlackApi } from '../clients/slack-api.ts';
import { accountIdOf } from './connection.ts';

/** Without these scopes the bot can't do its work. */
const neededScopes = ['chat:write', 'users:read'] as const;
/** The scopes that an installation asks for. */
export const wantedScopes = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'mpim:history',
  'mpim:read',
  'reactions:read',
  'users:read',
] as const;

const Identity = z.object({
  team_id: loose(z.string()),
  enterprise_id: loose(z.string()),
  user_id: z.string(),
  bot_id: z.string(),
  is_enterprise_install: loose(z.boolean()),
});
const Bot = z.object({ bot: z.object({ app_id: z.string() }) });

/** Tries a bot's token, and finds out which app and workspace it belongs to. */
export async function checkAccount(
  slack: SlackApi,
  { botToken }: { botToken: string },
  signal?: AbortSignal,
): Promise<CheckedAccount> {
  if (!/^[\x21-\x7e]+$/.test(botToken)) return { outcome: 'refused', reason: 'invalid_auth' };
  const token = new Secret(botToken);
  const identity = await slack({ method: 'auth.test', token, signal, answer: Identity });
  if (identity.outcome !== 'ok') return whyNot(identity);
  const scopes = identity.scopes;
  const missing = scopes ? neededScopes.filter((scope) => !scopes.includes(scope)) : [];
  if (missing.length > 0)
    return { outcome: 'refused', reason: `the token lacks the scopes ${missing.join(', ')}` };
  const {
    user_id: botUserId,
    bot_id: botId,
    team_id,
    enterprise_id,
    is_enterprise_install,
  } = identity.result;
  const bot = await slack({ method: 'bots.info', token, signal, params: { bot: botId }, answer: Bot });
  if (bot.outcome !== 'ok') return whyNot(bot);
  const account = {
    appId: bot.result.bot.app_id,
    ...(team_id && is_enterprise_install !== true ? { teamId: team_id } : {}),
    ...(enterprise_id ? { enterpriseId: enterprise_id } : {}),
  };
  const unused = scopes ? wantedScopes.filter((scope) => !scopes.includes(scope)) : [];
  return {
    outcome: 'ok',
    accountId: accountIdOf(account),
    secrets: { ...account, botUserId, botId },
    ...(unused.length > 0 ? { warnings: [`the token lacks the scopes ${unused.join(', ')}`] } : {}),
  };
}

/** The same for a token that was entered by hand. One that expires could not be renewed without its refresh token. */
export const checkEnteredToken = async (
  slack: SlackApi,
  { botToken }: { botToken: string },
  signal?: AbortSignal,
): Promise<CheckedAccount> =>
  botToken.startsWith('xoxe.')
    ? { outcome: 'refused', reason: 'the token expires: use the token of an app without token rotation' }
    : await checkAccount(slack, { botToken }, signal);

function whyNot(answer: Exclude<CallResult<unknown>, { outcome: 'ok' }>): CheckedAccount {
  if (answer.outcome === 'limited')
    return { outcome: 'failed', reason: 'Slack asks to wait', retryInMs: answer.retryAfterMs };
  return { outcome: answer.outcome, reason: answer.reason };
}
