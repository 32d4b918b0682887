import { plainText } from '@botyard/shared/log/plain-text';
import type { Problems } from '@botyard/shared/system/problems';
import { errors, type JWTPayload } from 'jose';

/** A reason why a session token isn't accepted, with the setting that it points to. */
export interface TokenRefusal {
  setting:
    | 'clock'
    | 'IDP_ISSUER'
    | 'IDP_JWKS_URL'
    | 'IDP_AUTHORIZED_PARTIES'
    | 'IDP_PLATFORM_ORG_ID'
    | 'PUBLIC_BASE_URL'
    | 'access token'
    | 'session token';
  cause: string;
  problem: string;
}

/** The reasons that a later verified token disproves. */
const ofEveryToken = ['behind', 'expired', 'issuer', 'key', 'algorithm', 'shape', 'audience'];

/** A token was accepted, so what would refuse every token is over. */
export function clearRefusals(problems: Problems): void {
  for (const setting of [
    'clock',
    'IDP_ISSUER',
    'IDP_JWKS_URL',
    'PUBLIC_BASE_URL',
    'session token',
    'access token',
  ])
    for (const cause of ofEveryToken) problems.clear(setting, cause);
}

/** Claims of a token whose signature was verified, in words that are safe to log. */
const quoted = (claim: unknown): string => (claim === undefined ? 'none' : plainText(JSON.stringify(claim)));

const inSeconds = (claim: unknown, now: number): number => Math.round(Number(claim) - now / 1000);

/**
 * The reason behind an error of the verification; `undefined` for a forged or unreadable token, which says nothing
 * about the settings. Before the signature is verified, nothing of the token is repeated.
 */
export function refusalOf(error: unknown, now: number): TokenRefusal | undefined {
  if (error instanceof errors.JWTExpired) return expired(error.payload, now);
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf' && error.reason === 'check_failed')
      return behind('nbf', error.payload.nbf, now);
    return shapeless(`its ${plainText(error.claim)} is missing or has a wrong form`);
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return {
      setting: 'IDP_JWKS_URL',
      cause: 'key',
      problem:
        'a token is signed with a key that the key set lacks. If nobody can sign in, the key set (IDP_JWKS_URL, or that ' +
        "of IDP_ISSUER) belongs to another instance of the identity provider than the application's publishable key",
    };
  if (error instanceof errors.JOSEAlgNotAllowed)
    return {
      setting: 'session token',
      cause: 'algorithm',
      problem:
        'a token is signed with another algorithm than RS256, ES256 or EdDSA: a token template with a signing key of its ' +
        'own makes such tokens. Send the session token itself',
    };
  return undefined;
}

/** The claim's time is in the future by this clock. */
export function behind(claim: 'nbf' | 'iat', at: unknown, now: number): TokenRefusal {
  const problem =
    `a token is not valid yet by the clock of this machine: its ${claim} is ${inSeconds(at, now)} s in the future. The ` +
    'clock is behind the one of the identity provider: synchronize it (NTP)';
  return { setting: 'clock', cause: 'behind', problem };
}

function expired({ exp, iat }: JWTPayload, now: number): TokenRefusal {
  const age = typeof iat === 'number' ? `, ${-inSeconds(iat, now)} s after it was issued` : '';
  const problem =
    `a token expired ${-inSeconds(exp, now)} s ago by the clock of this machine${age}. If nobody can sign in, the clock ` +
    'is ahead of the one of the identity provider: synchronize it (NTP). A single old token is harmless';
  return { setting: 'clock', cause: 'expired', problem };
}

/** For a token of another issuer, signed with a key of ours. */
export const otherIssuer = (iss: unknown, issuer: string): TokenRefusal => ({
  setting: 'IDP_ISSUER',
  cause: 'issuer',
  problem: `tokens name ${quoted(iss)} as their issuer, but the setting is ${JSON.stringify(issuer)}: both have to be the same`,
});

/** A slug matches no identifier, so there would be no operator, without any error. */
export const slugInsteadOfId: TokenRefusal = {
  setting: 'IDP_PLATFORM_ORG_ID',
  cause: 'slug',
  problem:
    "the setting is an organization's slug, so its admins are no operators: use the identifier, which begins with org_",
};

/** For a token whose `azp` isn't among the authorized parties. */
export const otherParty = (azp: unknown, parties: readonly string[]): TokenRefusal => ({
  setting: 'IDP_AUTHORIZED_PARTIES',
  cause: `azp ${quoted(azp)}`,
  problem:
    azp === undefined
      ? 'a token has no authorized party (azp), as tokens made without a browser: with this setting it is refused'
      : `a token's authorized party (azp) is ${quoted(azp)}, which the setting doesn't list (${plainText(parties.join(', '))}): ` +
        'add it if the page at this address may use the API',
});

/** For a token that lacks what a session token has. */
export const shapeless = (what: string): TokenRefusal => ({
  setting: 'session token',
  cause: 'shape',
  problem: `a token is signed by the identity provider, but is no usable session token: ${what}`,
});

/** For an access token that lacks what one has, or has too much of it. */
export const shapelessAccess = (what: string): TokenRefusal => ({
  setting: 'access token',
  cause: 'shape',
  problem: `an access token is signed by the identity provider, but is not usable: ${what}`,
});

/** For an access token that the identity provider issued for another API. */
export const foreignAudience = (publicUrl: string): TokenRefusal => ({
  setting: 'PUBLIC_BASE_URL',
  cause: 'audience',
  problem:
    `an access token's aud and resource don't name this installation (${publicUrl}, or ${publicUrl}/api/mcp): it is for ` +
    'another API, or the setting is not the address that clients use',
});
