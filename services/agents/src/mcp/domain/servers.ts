import {
  type CreateToolServerBody,
  maxToolServers,
  type UpdateToolServerBody,
} from '@botyard/contracts/http/integrations-servers';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, unprocessable } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { removeGrants } from '../store/server-grants.ts';
import { removeLinksOfServer } from '../store/server-links.ts';
import { removeServerTools } from '../store/server-tools.ts';
import {
  countServers,
  insertServer,
  listAgentsNaming,
  lockServer,
  lockServers,
  removeServer,
  type ServerKey,
  type ServerRow,
  updateServer,
} from '../store/servers.ts';
import { removeSignIns } from '../store/sign-ins.ts';
import { serverAddress } from './address.ts';
import { sealAuthorization } from './authorization.ts';
import { revokeRemoved, unconfirmedIn } from './grants.ts';

type ServerDeps = Pick<Deps, 'config' | 'database' | 'egress' | 'keyring' | 'log'>;

/** @throws HttpError 409 for a name in use or when the limit is reached, 422 for an address that may not be called. */
export async function addServer(
  { config, database, keyring, log }: ServerDeps,
  { tenantId, userId: createdBy }: { tenantId: string; userId: string },
  { name, url, authorization, grantOf, timeoutMs }: CreateToolServerBody,
): Promise<ServerRow> {
  if (grantOf === 'person' && authorization.type !== 'oauth') throw needsSignIn();
  const { href, origin } = serverAddress(url, config.EGRESS_ALLOWED_HOSTS);
  const serverId = uuidv7();
  const sealed = await sealAuthorization(keyring, { tenantId, serverId, origin }, authorization);
  return await withTenant(database, [tenantId], async (tx) => {
    await lockServers(tx, tenantId);
    if ((await countServers(tx, tenantId)) >= maxToolServers)
      throw conflict(`a tenant has ${maxToolServers} servers at most: delete some first`);
    tx.afterCommit(() => log.info({ audit: 'tool server', serverId, origin }, 'audit'));
    return await insertServer(tx, {
      ...sealed,
      tenantId,
      serverId,
      name,
      url: href,
      origin,
      grantOf,
      timeoutMs,
      createdBy,
    });
  });
}

/**
 * Changes the given fields. The server is unchecked afterwards if its address or authorization changed, and another
 * address has no tools yet: what was decided about the old one's isn't kept.
 * @throws HttpError 404; 409 for a name in use, and for another origin without its authorization; 422.
 */
export async function changeServer(
  deps: ServerDeps,
  key: ServerKey,
  { name, url, authorization, grantOf, timeoutMs }: UpdateToolServerBody,
): Promise<ServerRow> {
  const { config, database, keyring, log } = deps;
  const address = url === undefined ? undefined : serverAddress(url, config.EGRESS_ALLOWED_HOSTS);
  const isOther = address !== undefined || authorization !== undefined;
  const { changed, removed } = await withTenant(database, [key.tenantId], async (tx) => {
    const server = found(await lockServer(tx, key), 'server');
    const origin = address?.origin ?? server.origin;
    const hasSecret = server.sealedValue !== null || server.sealedClientSecret !== null;
    if (origin !== server.origin && hasSecret && !authorization)
      throw conflict('the authorization was stored for another origin: send it again with the new address');
    refuseWithoutSignIn(server, { authorization, grantOf });
    const sealed = authorization && (await sealAuthorization(keyring, { ...key, origin }, authorization));
    tx.afterCommit(() => log.info({ audit: 'tool server changed', serverId: key.serverId, origin }, 'audit'));
    const isMoved = address !== undefined && address.href !== server.url;
    if (isMoved) await removeServerTools(tx, key);
    // A grant is for one address and one client.
    const isGrantedAnew = grantOf !== undefined && grantOf !== server.grantOf;
    const removed = isMoved || isGrantedAnew || authorization ? await removeAccess(tx, key) : [];
    const changed = await updateServer(tx, key, {
      ...sealed,
      name,
      url: address?.href,
      origin,
      grantOf,
      timeoutMs,
      updatedAt: new Date(),
      ...(isOther || isGrantedAnew ? { state: 'unchecked' as const, lastError: null, checkedAt: null } : {}),
    });
    return { changed: found(changed, 'server'), removed };
  });
  await revokeRemoved(deps, removed);
  return changed;
}

function refuseWithoutSignIn(
  server: ServerRow,
  { authorization, grantOf = server.grantOf }: Pick<UpdateToolServerBody, 'authorization' | 'grantOf'>,
): void {
  const usesOauth = authorization ? authorization.type === 'oauth' : server.usesOauth;
  if (grantOf === 'person' && !usesOauth) throw needsSignIn();
}

const needsSignIn = () =>
  unprocessable(
    'grantOf: people can only have accounts of their own at a server that is signed in to (oauth)',
  );

/** Removes all that gives access to a server. Returns the grants, which are to be revoked. */
async function removeAccess(tx: TenantTx, key: ServerKey) {
  await removeSignIns(tx, key);
  // First, because a link that is being confirmed becomes a grant.
  const links = await removeLinksOfServer(tx, key);
  return [...unconfirmedIn(links), ...(await removeGrants(tx, key))];
}

/** Deletes a server with its tools, and revokes the sign-ins to it. @throws HttpError 404; 409 while agents name it. */
export async function deleteServer(deps: Omit<ServerDeps, 'config'>, key: ServerKey): Promise<void> {
  const { database, log } = deps;
  const removed = await withTenant(database, [key.tenantId], async (tx) => {
    found(await lockServer(tx, key), 'server');
    const agents = await listAgentsNaming(tx, key);
    if (agents.length > 0) throw conflict(`the server is in use: take it from ${shortList(agents)} first`);
    const grants = await removeAccess(tx, key);
    await removeServer(tx, key);
    tx.afterCommit(() => log.info({ audit: 'tool server deleted', serverId: key.serverId }, 'audit'));
    return grants;
  });
  await revokeRemoved(deps, removed);
}

const maxListed = 5;

function shortList(agents: readonly { id: string; name: string }[]): string {
  const names = agents.slice(0, maxListed).map(({ id, name }) => `the agent "${name}" (${id})`);
  return `${names.join(', ')}${agents.length > maxListed ? ' and more' : ''}`;
}
