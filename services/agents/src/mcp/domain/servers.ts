import {
  type CreateToolServerBody,
  maxToolServers,
  type UpdateToolServerBody,
} from '@botyard/contracts/http/integrations-servers';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { removeGrant } from '../store/server-grants.ts';
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
import { revokeGrant } from './grants.ts';

type ServerDeps = Pick<Deps, 'config' | 'database' | 'egress' | 'keyring' | 'log'>;

/** @throws HttpError 409 for a name in use or when the limit is reached, 422 for an address that may not be called. */
export async function addServer(
  { config, database, keyring, log }: ServerDeps,
  { tenantId, userId: createdBy }: { tenantId: string; userId: string },
  { name, url, authorization, timeoutMs }: CreateToolServerBody,
): Promise<ServerRow> {
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
  { name, url, authorization, timeoutMs }: UpdateToolServerBody,
): Promise<ServerRow> {
  const { config, database, keyring, log } = deps;
  const address = url === undefined ? undefined : serverAddress(url, config.EGRESS_ALLOWED_HOSTS);
  const isOther = address !== undefined || authorization !== undefined;
  const { changed, removedGrant } = await withTenant(database, [key.tenantId], async (tx) => {
    const server = found(await lockServer(tx, key), 'server');
    const origin = address?.origin ?? server.origin;
    const hasSecret = server.sealedValue !== null || server.sealedClientSecret !== null;
    if (origin !== server.origin && hasSecret && !authorization)
      throw conflict('the authorization was stored for another origin: send it again with the new address');
    const sealed = authorization && (await sealAuthorization(keyring, { ...key, origin }, authorization));
    tx.afterCommit(() => log.info({ audit: 'tool server changed', serverId: key.serverId, origin }, 'audit'));
    const isMoved = address !== undefined && address.href !== server.url;
    if (isMoved) await removeServerTools(tx, key);
    // A grant is for one address and one client.
    const endsGrant = isMoved || authorization !== undefined;
    const removedGrant = endsGrant ? await removeGrant(tx, key) : undefined;
    if (endsGrant) await removeSignIns(tx, key);
    const changed = await updateServer(tx, key, {
      ...sealed,
      name,
      url: address?.href,
      origin,
      timeoutMs,
      updatedAt: new Date(),
      ...(isOther ? { state: 'unchecked' as const, lastError: null, checkedAt: null } : {}),
    });
    return { changed: found(changed, 'server'), removedGrant };
  });
  await revokeGrant(deps, removedGrant);
  return changed;
}

/** Deletes a server with its tools, and revokes its sign-in. @throws HttpError 404; 409 while agents name it. */
export async function deleteServer(deps: Omit<ServerDeps, 'config'>, key: ServerKey): Promise<void> {
  const { database, log } = deps;
  const removedGrant = await withTenant(database, [key.tenantId], async (tx) => {
    found(await lockServer(tx, key), 'server');
    const agents = await listAgentsNaming(tx, key);
    if (agents.length > 0) throw conflict(`the server is in use: take it from ${shortList(agents)} first`);
    const grant = await removeGrant(tx, key);
    await removeServer(tx, key);
    tx.afterCommit(() => log.info({ audit: 'tool server deleted', serverId: key.serverId }, 'audit'));
    return grant;
  });
  await revokeGrant(deps, removedGrant);
}

const maxListed = 5;

function shortList(agents: readonly { id: string; name: string }[]): string {
  const names = agents.slice(0, maxListed).map(({ id, name }) => `the agent "${name}" (${id})`);
  return `${names.join(', ')}${agents.length > maxListed ? ' and more' : ''}`;
}
