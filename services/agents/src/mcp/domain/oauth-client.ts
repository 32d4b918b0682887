import {
  oauthCallbackPath,
  oauthClientDocument,
  oauthClientPath,
} from '@botyard/contracts/http/oauth-client';
import type { Egress } from '@botyard/shared/http/egress/egress';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import {
  type Authority,
  AuthorizationError,
  type OauthClient,
  register,
} from '../clients/authorization-server.ts';
import type { ServerRow } from '../store/servers.ts';

type SecretOf = Pick<ServerRow, 'tenantId' | 'serverId' | 'origin' | 'clientId'>;

export const clientSecretBinding = ({ tenantId, serverId, origin, clientId }: SecretOf) => ({
  purpose: 'tool-server-client',
  tenantId,
  recordId: serverId,
  origin,
  clientId: clientId ?? '',
});

export const sealClientSecret = (keyring: Keyring, secret: string, row: SecretOf): Promise<string> =>
  keyring.seal(new Secret(secret), clientSecretBinding(row));

/** The client of a server's record. */
export type ClientOfServer = SecretOf & Pick<ServerRow, 'sealedClientSecret'>;

interface ClientDeps {
  egress: Egress;
  keyring: Keyring;
  publicBaseUrl: string;
}

/**
 * The client that an admin registered, else Botyard's own document, else a registration. @throws AuthorizationError.
 */
export async function oauthClientOf(
  { egress, keyring, publicBaseUrl }: ClientDeps,
  server: ClientOfServer,
  authority: Authority,
): Promise<OauthClient> {
  const { clientId, sealedClientSecret } = server;
  if (clientId !== null) {
    if (sealedClientSecret === null) return { client_id: clientId };
    const secret = await keyring.open(sealedClientSecret, clientSecretBinding(server));
    return { client_id: clientId, client_secret: secret.reveal() };
  }
  // An authorization server reads the document at its address, so it has to be reachable.
  if (authority.client_id_metadata_document_supported && publicBaseUrl.startsWith('https:'))
    return { client_id: `${publicBaseUrl}${oauthClientPath}` };
  if (authority.registration_endpoint)
    return await register(egress, authority, oauthClientDocument(publicBaseUrl));
  throw new AuthorizationError(
    'refused',
    'the authorization server registers no clients by itself: enter a client ID that you got there',
  );
}

export const redirectUriOf = (publicBaseUrl: string): string => `${publicBaseUrl}${oauthCallbackPath}`;
