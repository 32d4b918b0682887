import type { SlackSecrets } from '@botyard/contracts/platforms/slack';
import type { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';
import type { RenewalResult, Renewer } from '../../domain/account.ts';
import { loose } from '../../domain/fields.ts';
import type { SlackApi } from '../clients/slack-api.ts';

/** The installation's own app, which many tenants install. */
export interface OwnApp {
  clientId: string;
  clientSecret: Secret;
}

/** The token in an answer of `oauth.v2.access`. It expires if the app rotates its tokens. */
export const Token = z.object({
  access_token: z.string().min(1),
  refresh_token: loose(z.string().min(1)),
  expires_in: loose(z.number().positive()),
});
type Token = z.output<typeof Token>;

/** The stored form of a token. A sixth of its life is left when it is renewed: two hours of twelve. */
export const tokenSecrets = ({
  access_token: botToken,
  refresh_token: refreshToken,
  expires_in: seconds,
}: Token): Pick<SlackSecrets, 'botToken'> & Record<string, string> => ({
  botToken,
  ...(refreshToken ? { refreshToken } : {}),
  ...(seconds ? { renewTokenAt: new Date(Date.now() + (seconds * 1000 * 5) / 6).toISOString() } : {}),
});

/** No later attempt succeeds: a person has to install the app again. */
const finalRefusals = /^(?:invalid_refresh_token|token_revoked|account_inactive|team_access_not_granted)\b/;

/** Renews the tokens of installations of the installation's own app. */
export const createRenewer = (slack: SlackApi, app: OwnApp | undefined): Renewer<SlackSecrets> => ({
  replaces: ['botToken', 'refreshToken', 'renewTokenAt'],
  // With a signing secret, an app of the tenant's own has replaced the installation; its token was entered by hand.
  dueAt: ({ signingSecret, refreshToken, renewTokenAt }) =>
    signingSecret === undefined && refreshToken && renewTokenAt ? new Date(renewTokenAt) : undefined,
  renew: async ({ refreshToken = '' }, signal) =>
    app ? await renewToken(slack, app, refreshToken, signal) : { outcome: 'failed', reason: withoutApp },
});

const withoutApp = 'the settings of the app are missing (SLACK_CLIENT_ID)';

async function renewToken(
  slack: SlackApi,
  app: OwnApp,
  refreshToken: string,
  signal: AbortSignal,
): Promise<RenewalResult> {
  const answer = await slack({
    method: 'oauth.v2.access',
    app,
    params: { grant_type: 'refresh_token', refresh_token: refreshToken },
    signal,
    answer: Token,
  });
  if (answer.outcome === 'ok') return { outcome: 'ok', secrets: tokenSecrets(answer.result) };
  if (answer.outcome === 'limited')
    return { outcome: 'failed', reason: 'Slack asks to wait', retryInMs: answer.retryAfterMs };
  const { reason } = answer;
  if (answer.outcome === 'failed' || !finalRefusals.test(reason)) return { outcome: 'failed', reason };
  return { outcome: 'refused', reason: `${reason}: install the app again` };
}
