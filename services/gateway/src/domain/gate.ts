import { publicPrefixes } from '@botyard/contracts/http/catalogue';
import { oauthCallbackPath, oauthConnectPath } from '@botyard/contracts/http/oauth-client';
import { isPlatformPage } from './platform-pages.ts';
import { isUnder } from './request-target.ts';

/**
 * The admission of a path (REQ-GATE-1): `user` needs a principal; `anonymous` needs none; `nobody` means that the path
 * doesn't exist. Deny by default: beneath `/api` only the listed prefixes are public, outside of it only webhooks, the
 * pages of platforms, and the pages of sign-ins to MCP servers.
 */
type Admission = 'user' | 'anonymous' | 'nobody';

/** Decides on a path from `parseTarget`. */
export function admissionOf(path: string): Admission {
  if (isUnder(path, '/api')) {
    return publicPrefixes.some((prefix) => isUnder(path, prefix)) ? 'anonymous' : 'user';
  }
  return isWebhook(path) || isPlatformPage(path) || isSignIn(path) ? 'anonymous' : 'nobody';
}

/** The end of a sign-in to an MCP server, and a link, whose secret is its credential, by which a person begins one. */
function isSignIn(path: string): boolean {
  return path === oauthCallbackPath || (isUnder(path, oauthConnectPath) && path !== oauthConnectPath);
}

/** Webhooks are outside the gate: each handler verifies its sender. */
function isWebhook(path: string): boolean {
  return isUnder(path, '/webhooks');
}

/** The kind of credential that a path takes, beyond the session token that the gateway itself checks. */
export function surfaceOf(path: string): 'api' | 'public' | 'own tokens' | 'webhooks' {
  if (isWebhook(path) || isPlatformPage(path) || isSignIn(path)) return 'webhooks';
  if (isUnder(path, '/api/email-auth')) return 'own tokens';
  return admissionOf(path) === 'user' ? 'api' : 'public';
}
