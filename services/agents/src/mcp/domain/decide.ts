import type { PutServerToolBody } from '@botyard/contracts/http/integrations-server-tools';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import {
  lockServerTool,
  type ServerToolKey,
  type ServerToolRow,
  updateServerTool,
} from '../store/server-tools.ts';

/**
 * Stores an admin's decision about a tool's definition, by its pin. @throws HttpError 404; 409 for a refused tool, and
 * for a pin that is no longer the tool's.
 */
export async function decideTool(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  key: ServerToolKey,
  { userId: decidedBy, decision }: { userId: string; decision: PutServerToolBody },
): Promise<ServerToolRow> {
  const { pin, isAllowed, readsOnly, repeatable } = decision;
  return await withTenant(database, [key.tenantId], async (tx) => {
    const tool = await lockServerTool(tx, key);
    if (!tool?.isListed) throw notFound('tool');
    if (tool.refusal !== null) throw conflict(`this tool can not be allowed: ${tool.refusal}`);
    if (tool.pin !== pin)
      throw conflict('the tool has changed since: look at the difference and decide again');
    const { serverId, name } = key;
    tx.afterCommit(() =>
      log.info({ audit: 'tool of a server', serverId, name, isAllowed, readsOnly }, 'audit'),
    );
    const decided = await updateServerTool(tx, key, {
      isAllowed,
      readsOnly,
      repeatable,
      decidedBy,
      decidedPin: pin,
      decidedDefinition: tool.definition,
      decidedAt: new Date(),
    });
    return found(decided, 'tool');
  });
}
