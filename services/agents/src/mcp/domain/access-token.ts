import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { AuthorizationError, renewTokens } from '../clients/authorization-server.ts';
import { VisitError } from '../clients/server-visit.ts';
import type { Deps } from '../deps.ts';
import {
  claimRenewal,
  type GrantRow,
  getGrant,
  releaseRenewal,
  removeRefused,
  replaceTokens,
} from '../store/server-grants.ts';
import type { ServerRow } from '../store/servers.ts';
import { openGrant, toColumns } from './grants.ts';

export type TokenDeps = Pick<Deps, 'database' | 'egress' | 'keyring' | 'log'>;

const signInNeeded = (personId: string | null) =>
  new VisitError(
    'unauthorized',
    personId === null
      ? 'an admin has to sign in to this server'
      : 'the person has to connect their account to this server again',
  );

/**
 * The access token for calls of a server, renewed before its end by one process at a time: a refresh token is often
 * good for one exchange. @throws VisitError when somebody has to sign in, or when it can't be renewed at the moment.
 */
export async function accessTokenOf(
  deps: TokenDeps,
  server: ServerRow,
  personId: string | null,
): Promise<string> {
  const row = await currentGrant(deps, server, personId);
  if (row.renewAt === null || row.renewAt.getTime() > Date.now()) return await tokenIn(deps, row);
  return (await renewed(deps, server, row)) ?? (await tokenIn(deps, row));
}

async function currentGrant(
  { database }: TokenDeps,
  server: ServerRow,
  personId: string | null,
): Promise<GrantRow> {
  const row = await withTenant(database, [server.tenantId], (tx) => getGrant(tx, { ...server, personId }));
  // A grant of another authorization server than the server's is none.
  if (!row || row.issuer !== server.issuer) throw signInNeeded(personId);
  return row;
}

async function tokenIn({ keyring }: TokenDeps, row: GrantRow): Promise<string> {
  const isOver = row.expiresAt !== null && row.expiresAt.getTime() <= Date.now();
  if (isOver && row.renewAt === null) throw signInNeeded(row.personId);
  if (isOver) throw new VisitError('unreachable', 'the sign-in to this server could not be renewed');
  return (await openGrant(keyring, row)).tokens.access_token;
}

/** Renewals of this process, by the grant. Later callers wait for the one that is under way. */
const underWay = new Map<string, Promise<string | undefined>>();

/** The renewed token; `undefined` if this process did not get one, and the former has to do. */
async function renewed(deps: TokenDeps, server: ServerRow, row: GrantRow): Promise<string | undefined> {
  const waiting = underWay.get(row.grantId);
  if (waiting !== undefined) return await waiting;
  const renewal = renewOnce(deps, server, row).finally(() => underWay.delete(row.grantId));
  underWay.set(row.grantId, renewal);
  return await renewal;
}

async function renewOnce(deps: TokenDeps, server: ServerRow, row: GrantRow): Promise<string | undefined> {
  const { database, egress, keyring, log } = deps;
  const scope = [server.tenantId];
  if (!(await withTenant(database, scope, (tx) => claimRenewal(tx, row)))) {
    const newest = await currentGrant(deps, server, row.personId);
    return newest.sealedGrant === row.sealedGrant ? undefined : await tokenIn(deps, newest);
  }
  const grant = await openGrant(keyring, row);
  const refreshToken = grant.tokens.refresh_token;
  if (refreshToken === undefined) return undefined;
  try {
    await failpoint('agents.grant.before-renewal');
    const tokens = await renewTokens(egress, grant, refreshToken);
    await failpoint('agents.grant.after-renewal');
    // Stored before it is used: the former refresh token may be worth nothing from now on.
    const columns = await toColumns(keyring, row, { ...grant, tokens });
    await withTenant(database, scope, (tx) => replaceTokens(tx, row, columns));
    return tokens.access_token;
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    const { serverId } = server;
    log.warn({ err: error, serverId, fault: error.fault }, 'a grant of a server could not be renewed');
    const isRefused = error.fault === 'refused';
    if (isRefused && (await withTenant(database, scope, (tx) => removeRefused(tx, row))))
      throw signInNeeded(row.personId);
    await withTenant(database, scope, (tx) => releaseRenewal(tx, row));
    return undefined;
  }
}
