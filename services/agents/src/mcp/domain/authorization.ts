import type { ToolServerAuthorization } from '@botyard/contracts/http/integrations-servers';
import type { Binding, Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import type { ServerAddress } from '../clients/server-visit.ts';
import type { ServerKey, ServerRow } from '../store/servers.ts';

/** Where a sealed value may be sent: it opens for no other server, header or origin. */
export type SentTo = ServerKey & { headerName: string; origin: string };

export const authorizationBinding = ({ tenantId, serverId, headerName, origin }: SentTo): Binding => ({
  purpose: 'tool-server-authorization',
  tenantId,
  recordId: serverId,
  headerName,
  origin,
});

/** The columns of an authorization. */
export async function sealAuthorization(
  keyring: Keyring,
  { tenantId, serverId, origin }: Pick<ServerRow, 'tenantId' | 'serverId' | 'origin'>,
  authorization: ToolServerAuthorization,
): Promise<Pick<ServerRow, 'headerName' | 'sealedValue'>> {
  if (authorization.type === 'none') return { headerName: null, sealedValue: null };
  const { header: headerName, value } = authorization;
  const binding = authorizationBinding({ tenantId, serverId, headerName, origin });
  return { headerName, sealedValue: await keyring.seal(new Secret(value), binding) };
}

/** Where a server is called, with its opened authorization. */
export async function openAddress(keyring: Keyring, server: ServerRow): Promise<ServerAddress> {
  const { url, origin, timeoutMs, headerName, sealedValue, tenantId, serverId } = server;
  if (headerName === null || sealedValue === null) return { url, origin, timeoutMs, headers: {} };
  const binding = authorizationBinding({ tenantId, serverId, headerName, origin });
  const value = await keyring.open(sealedValue, binding);
  return { url, origin, timeoutMs, headers: { [headerName.toLowerCase()]: value.reveal() } };
}
