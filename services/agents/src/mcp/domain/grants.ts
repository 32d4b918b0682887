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
import type { LinkRow } from '../store/server-links.ts';
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

type SealedFor = Pick<GrantRow, 'tenantId' | 'grantId' | 'serverId' | 'personId' | 'issuer'>;

/** Tokens open for no other tenant, server, person or authorization server. */
export const grantBinding = ({ tenantId, grantId, serverId, personId, issuer }: SealedFor): Binding => ({
  purpose: 'tool-server-grant',
  tenantId,
  recordId: grantId,
  serverId,
  personId: personId ?? '',
  issuer,
});

export async function openGrant(
  keyring: Keyring,
  row: SealedFor & Pick<GrantRow, 'sealedGrant'>,
): Promise<Grant> {
  return (await openJson(keyring, row.sealedGrant, grantBinding(row))) as Grant;
}

/** Stores an admin's grant in place of the former one. */
export async function putGrant(
  tx: TenantTx,
  keyring: Keyring,
  { tenantId, serverId }: ServerKey,
  grant: Grant,
): Promise<void> {
  const names = { tenantId, serverId, grantId: uuidv7(), personId: null, issuer: grant.authority.issuer };
  const nobody = { platform: null, platformUserId: null, personName: null };
  const columns = await toColumns(keyring, names, grant);
  await putGrantRow(tx, { ...names, ...nobody, ...columns, renewingUntil: null });
}

const shortestLifeSeconds = 30;
const longestLifeSeconds = 366 * 86_400;

/** The columns of a grant. It is renewed when a sixth of its life is left. */
export async function toColumns(
  keyring: Keyring,
  names: SealedFor,
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
  row: SealedFor & Pick<GrantRow, 'sealedGrant'>,
): Promise<void> {
  try {
    await revokeTokens({ egress, log }, await openGrant(keyring, row), row);
  } catch (error) {
    const { tenantId, serverId } = row;
    log.error({ err: error, tenantId, serverId }, 'a grant could not be opened to be revoked');
  }
}

/** Revokes the tokens of a grant that is not kept. Never fails. */
export async function revokeTokens(
  { egress, log }: Pick<Deps, 'egress' | 'log'>,
  { authority, client, tokens }: Grant,
  { tenantId, serverId }: ServerKey,
): Promise<void> {
  try {
    // The refresh token ends its access tokens with it, where there is one.
    await revokeToken(egress, { authority, client }, tokens.refresh_token ?? tokens.access_token);
  } catch (error) {
    const isTheirs = error instanceof AuthorizationError;
    log[isTheirs ? 'info' : 'error']({ err: error, tenantId, serverId }, 'a grant could not be revoked');
  }
}

/** Revocations of one removal that wait for answers at the same time. */
const maxRevokedAtOnce = 8;

/** Revokes the tokens of several removed grants. Never fails. */
export async function revokeGrants(
  deps: Pick<Deps, 'egress' | 'keyring' | 'log'>,
  rows: readonly (SealedFor & Pick<GrantRow, 'sealedGrant'>)[],
): Promise<void> {
  const waiting = [...rows];
  const revokeNext = async () => {
    for (let row = waiting.pop(); row; row = waiting.pop()) await revokeGrant(deps, row);
  };
  await Promise.all(Array.from({ length: maxRevokedAtOnce }, revokeNext));
}

/** Revokes the admin's grant, and those of people after that: there may be many, and nobody waits for them. */
export async function revokeRemoved(
  deps: Pick<Deps, 'egress' | 'keyring' | 'log'>,
  rows: readonly (SealedFor & Pick<GrantRow, 'sealedGrant'>)[],
): Promise<void> {
  const isOfAdmin = ({ personId }: SealedFor) => personId === null;
  void revokeGrants(
    deps,
    rows.filter((row) => !isOfAdmin(row)),
  );
  await revokeGrants(deps, rows.filter(isOfAdmin));
}

/** The grants that removed links held, if their people had signed in. */
export const unconfirmedIn = (links: readonly LinkRow[]): (SealedFor & Pick<GrantRow, 'sealedGrant'>)[] =>
  links.flatMap(({ tenantId, serverId, personId, grantId, issuer, sealedGrant }) =>
    grantId === null || issuer === null || sealedGrant === null
      ? []
      : [{ tenantId, serverId, personId, grantId, issuer, sealedGrant }],
  );
