import type { TenantTx } from '@botyard/shared/db/database';
import type { Binding, Keyring } from '@botyard/shared/secrets/keyring';
import { openJson, sealJson } from '@botyard/shared/secrets/sealed-json';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { v7 as uuidv7 } from 'uuid';
import {
  type Authority,
  AuthorizationError,
  type OauthClient,
  revokeToken,
} from '../clients/authorization-server.ts';
import type { Deps } from '../deps.ts';
import { type GrantRow, putGrantRow } from '../store/server-grants.ts';
import type { ServerKey } from '../store/servers.ts';

/** The tokens of a sign-in, with all that is needed to renew and to revoke them. */
export interface Grant {
  /** The address of the server for which the tokens are. */
  url: string;
  /** The server's identifier at the authorization server. */
  resource: string;
  client: OauthClient;
  authority: Authority;
  tokens: Pick<OAuthTokens, 'access_token' | 'refresh_token' | 'expires_in'>;
}

/** Tokens open for no other tenant, server or authorization server. */
export const grantBinding = ({
  tenantId,
  grantId,
  serverId,
  issuer,
}: Pick<GrantRow, 'tenantId' | 'grantId' | 'serverId' | 'issuer'>): Binding => ({
  purpose: 'tool-server-grant',
  tenantId,
  recordId: grantId,
  serverId,
  issuer,
});

export async function openGrant(keyring: Keyring, row: GrantRow): Promise<Grant> {
  return (await openJson(keyring, row.sealedGrant, grantBinding(row))) as Grant;
}

/** Stores a grant in place of the server's former one. */
export async function putGrant(
  tx: TenantTx,
  keyring: Keyring,
  { tenantId, serverId }: ServerKey,
  grant: Grant,
): Promise<void> {
  const names = { tenantId, serverId, grantId: uuidv7(), issuer: grant.authority.issuer };
  await putGrantRow(tx, { ...names, renewingUntil: null, ...(await toColumns(keyring, names, grant)) });
}

const shortestLifeSeconds = 30;
const longestLifeSeconds = 366 * 86_400;

/** The columns of a grant. It is renewed when a sixth of its life is left. */
export async function toColumns(
  keyring: Keyring,
  names: Pick<GrantRow, 'tenantId' | 'grantId' | 'serverId' | 'issuer'>,
  grant: Grant,
): Promise<Pick<GrantRow, 'sealedGrant' | 'expiresAt' | 'renewAt' | 'updatedAt'>> {
  const { access_token, refresh_token, expires_in } = grant.tokens;
  const tokens = { access_token, ...(refresh_token === undefined ? {} : { refresh_token }) };
  const updatedAt = new Date();
  const lifeSeconds =
    expires_in === undefined ? null : Math.min(Math.max(expires_in, shortestLifeSeconds), longestLifeSeconds);
  const at = (share: number) =>
    lifeSeconds === null ? null : new Date(updatedAt.getTime() + lifeSeconds * 1000 * share);
  return {
    sealedGrant: await sealJson(keyring, { ...grant, tokens }, grantBinding(names)),
    expiresAt: at(1),
    renewAt: refresh_token === undefined ? null : at(5 / 6),
    updatedAt,
  };
}

/** Revokes the tokens of a removed grant, as far as its authorization server offers it. Never fails. */
export async function revokeGrant(
  { egress, keyring, log }: Pick<Deps, 'egress' | 'keyring' | 'log'>,
  row: GrantRow | undefined,
): Promise<void> {
  if (!row) return;
  try {
    const { authority, client, tokens } = await openGrant(keyring, row);
    // The refresh token ends its access tokens with it, where there is one.
    await revokeToken(egress, { authority, client }, tokens.refresh_token ?? tokens.access_token);
  } catch (error) {
    const { tenantId, serverId } = row;
    const isTheirs = error instanceof AuthorizationError;
    log[isTheirs ? 'info' : 'error']({ err: error, tenantId, serverId }, 'a grant could not be revoked');
  }
}
