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
import { serverAddress } from './address.ts';
import { sealAuthorization } from './authorization.ts';

type ServerDeps = Pick<Deps, 'config' | 'database' | 'keyring' | 'log'>;

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
  { config, database, keyring, log }: ServerDeps,
  key: ServerKey,
  { name, url, authorization, timeoutMs }: UpdateToolServerBody,
): Promise<ServerRow> {
  const address = url === undefined ? undefined : serverAddress(url, config.EGRESS_ALLOWED_HOSTS);
  const isOther = address !== undefined || authorization !== undefined;
  return await withTenant(database, [key.tenantId], async (tx) => {
    const server = found(await lockServer(tx, key), 'server');
    const origin = address?.origin ?? server.origin;
    if (origin !== server.origin && server.sealedValue !== null && !authorization)
      throw conflict('the authorization was stored for another origin: send it again with the new address');
    const sealed = authorization && (await sealAuthorization(keyring, { ...key, origin }, authorization));
    tx.afterCommit(() => log.info({ audit: 'tool server changed', serverId: key.serverId, origin }, 'audit'));
    if (address && address.href !== server.url) await removeServerTools(tx, key);
    const changed = await updateServer(tx, key, {
      ...sealed,
      name,
      url: address?.href,
      origin,
      timeoutMs,
      updatedAt: new Date(),
      ...(isOther ? { state: 'unchecked' as const, lastError: null, checkedAt: null } : {}),
    });
    return found(changed, 'server');
  });
}

/** Deletes a server with its tools. @throws HttpError 404; 409 while agents name it. */
export async function deleteServer(
  { database, log }: Pick<ServerDeps, 'database' | 'log'>,
  key: ServerKey,
): Promise<void> {
  await withTenant(database, [key.tenantId], async (tx) => {
    found(await lockServer(tx, key), 'server');
    const agents = await listAgentsNaming(tx, key);
    if (agents.length > 0) throw conflict(`the server is in use: take it from ${shortList(agents)} first`);
    await removeServer(tx, key);
    tx.afterCommit(() => log.info({ audit: 'tool server deleted', serverId: key.serverId }, 'audit'));
  });
}

const maxListed = 5;

function shortList(agents: readonly { id: string; name: string }[]): string {
  const names = agents.slice(0, maxListed).map(({ id, name }) => `the agent "${name}" (${id})`);
  return `${names.join(', ')}${agents.length > maxListed ? ' and more' : ''}`;
}
