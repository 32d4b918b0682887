import type { ToolServerAuthorization } from '@botyard/contracts/http/integrations-servers';
import type { Binding, Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import type { ServerAddress } from '../clients/server-visit.ts';
import type { ServerKey, ServerRow } from '../store/servers.ts';
import { accessTokenOf, type TokenDeps } from './access-token.ts';
import { sealClientSecret } from './oauth-client.ts';

/** Where a sealed value may be sent: it opens for no other server, header or origin. */
type SentTo = ServerKey & { headerName: string; origin: string };

export const authorizationBinding = ({ tenantId, serverId, headerName, origin }: SentTo): Binding => ({
  purpose: 'tool-server-authorization',
  tenantId,
  recordId: serverId,
  headerName,
  origin,
});

type AuthorizationColumns = Pick<
  ServerRow,
  'headerName' | 'sealedValue' | 'usesOauth' | 'clientId' | 'sealedClientSecret' | 'issuer'
>;

const nothing: AuthorizationColumns = {
  headerName: null,
  sealedValue: null,
  usesOauth: false,
  clientId: null,
  sealedClientSecret: null,
  issuer: null,
};

/** The columns of an authorization. */
export async function sealAuthorization(
  keyring: Keyring,
  { tenantId, serverId, origin }: Pick<ServerRow, 'tenantId' | 'serverId' | 'origin'>,
  authorization: ToolServerAuthorization,
): Promise<AuthorizationColumns> {
  if (authorization.type === 'none') return nothing;
  if (authorization.type === 'oauth') {
    const { clientId = null, clientSecret } = authorization;
    const names = { tenantId, serverId, origin, clientId };
    const sealedClientSecret =
      clientSecret === undefined ? null : await sealClientSecret(keyring, clientSecret, names);
    return { ...nothing, usesOauth: true, clientId, sealedClientSecret };
  }
  const { header: headerName, value } = authorization;
  const binding = authorizationBinding({ tenantId, serverId, headerName, origin });
  return { ...nothing, headerName, sealedValue: await keyring.seal(new Secret(value), binding) };
}

/**
 * Where a server is called, with its opened authorization: a person's own, or the tenant's. @throws VisitError when
 * somebody has to sign in.
 */
export async function openAddress(
  deps: TokenDeps,
  server: ServerRow,
  personId: string | null,
): Promise<ServerAddress> {
  const { keyring } = deps;
  const { url, origin, timeoutMs, headerName, sealedValue, tenantId, serverId } = server;
  if (server.usesOauth) {
    const authorization = `Bearer ${await accessTokenOf(deps, server, personId)}`;
    return { url, origin, timeoutMs, headers: { authorization } };
  }
  if (headerName === null || sealedValue === null) return { url, origin, timeoutMs, headers: {} };
  const binding = authorizationBinding({ tenantId, serverId, headerName, origin });
  const value = await keyring.open(sealedValue, binding);
  return { url, origin, timeoutMs, headers: { [headerName.toLowerCase()]: value.reveal() } };
}
