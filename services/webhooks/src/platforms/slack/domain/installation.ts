import type { CheckedAccount, Installer } from '../../domain/account.ts';
import type { SlackApi } from '../clients/slack-api.ts';
import { checkAccount, wantedScopes } from './check-account.ts';
import { type OwnApp, Token, tokenSecrets } from './renewal.ts';

/** The installation's own app, as the platform's interface has it. */
export const createInstaller = (slack: SlackApi, apiUrl: string, app: OwnApp): Installer => ({
  authorizeUrl: (redirectUri, state) => authorizeUrl(apiUrl, app, { redirectUri, state }),
  complete: (grant) => completeInstallation(slack, app, grant),
});

/** The page on which a person allows the installation. The state comes back with them. */
export function authorizeUrl(
  apiUrl: string,
  { clientId }: OwnApp,
  { redirectUri, state }: { redirectUri: string; state: string },
): string {
  // Beside the Web API: https://slack.com/oauth/… and https://slack.com/api/….
  const url = new URL('oauth/v2/authorize', apiUrl);
  url.search = new URLSearchParams({
    client_id: clientId,
    scope: wantedScopes.join(','),
    redirect_uri: redirectUri,
    state,
  }).toString();
  return url.href;
}

/** Exchanges the code for a token, and finds out which account it belongs to. A code can be used once. */
export async function completeInstallation(
  slack: SlackApi,
  { clientId, clientSecret }: OwnApp,
  { code, redirectUri, signal }: Parameters<Installer['complete']>[0],
): Promise<CheckedAccount> {
  const answer = await slack({
    method: 'oauth.v2.access',
    app: { clientId, clientSecret },
    params: { code, redirect_uri: redirectUri },
    signal,
    answer: Token,
  });
  if (answer.outcome === 'limited') return { outcome: 'failed', reason: 'Slack asks to wait' };
  if (answer.outcome !== 'ok') return { outcome: answer.outcome, reason: answer.reason };
  const secrets = tokenSecrets(answer.result);
  const account = await checkAccount(slack, secrets, signal);
  return account.outcome === 'ok' ? { ...account, secrets: { ...account.secrets, ...secrets } } : account;
}
