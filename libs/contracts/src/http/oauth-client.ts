import { z } from 'zod';
import { moment } from './common.ts';

/** Where people come back to from an authorization server, and where it reads who Botyard is. Outside of `/api`. */
export const oauthCallbackPath = '/oauth/callback';
export const oauthClientPath = '/oauth/client.json';

/** Links by which people connect an account of their own begin with it. */
export const oauthConnectPath = '/oauth/connect';

/**
 * Names of the cookie with the browser's secret of a sign-in. With https the name begins with `__Host-`, so that no
 * other host can set the cookie.
 */
export const signInCookies = { secure: '__Host-botyard-sign-in', local: 'botyard-sign-in' } as const;

/** The time for signing in at the authorization server. */
export const signInSeconds = 600;

export const ToolServerSignIn = z
  .object({
    url: z
      .url()
      .describe(
        "The authorization server's page on which a person signs in. It has to be opened in the browser that sent " +
          'this request.',
      ),
    expiresAt: moment.describe('The time until which the sign-in has to be completed.'),
  })
  .meta({ id: 'ToolServerSignIn', description: 'A sign-in to an MCP server that has begun.' });

/** Describes Botyard to authorization servers. It has no secret: everybody can read the document. */
export const oauthClientDocument = (publicBaseUrl: string) => ({
  client_name: 'Botyard',
  client_uri: publicBaseUrl,
  redirect_uris: [`${publicBaseUrl}${oauthCallbackPath}`],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  // Authorization servers take plain http, which is a trial on one machine, from native clients only (SEP-837).
  application_type: publicBaseUrl.startsWith('https:') ? 'web' : 'native',
});
