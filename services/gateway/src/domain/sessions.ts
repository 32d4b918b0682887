import type { RuntimeContext } from '@botyard/shared/service/run-service';
import { SessionKeys } from '../clients/session-keys.ts';
import { type GatewayConfig, identityProviderOf, publicUrlOf } from '../config.ts';
import { createSessionVerifier } from './session-token.ts';
import { clearRefusals } from './token-refusal.ts';

/** Both are `null` without an identity provider: then no session token is valid. */
export function createSessions(
  config: GatewayConfig,
  { log, problems }: Pick<RuntimeContext, 'log' | 'problems'>,
  now: () => number,
) {
  const provider = identityProviderOf(config);
  if (!provider) return { keys: null, verifySession: null };
  const setting = config.IDP_JWKS_URL ? 'IDP_JWKS_URL' : 'IDP_ISSUER';
  const keys = new SessionKeys({ url: provider.jwksUrl, setting, log, now, problems });
  const verifySession = createSessionVerifier({
    ...provider,
    accessTokensFor: config.IDP_ACCESS_TOKENS ? publicUrlOf(config) : undefined,
    keys: keys.get,
    now,
    onRefused: (refusal) => problems.note(refusal),
    onVerified: () => clearRefusals(problems),
  });
  return { keys, verifySession };
}
