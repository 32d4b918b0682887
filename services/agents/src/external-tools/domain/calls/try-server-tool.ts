import type { ServerToolTrial, TryServerToolBody } from '@botyard/contracts/http/integrations-server-tools';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, unavailable, unprocessable } from '@botyard/shared/http/errors';
import { UnusableTool } from '../../../mcp/domain/unusable-tool.ts';
import { requireUsableTool, type UsableTool } from '../../../mcp/domain/usable-tool.ts';
import { getServerTool, type ServerToolKey } from '../../../mcp/store/server-tools.ts';
import { getServer } from '../../../mcp/store/servers.ts';
import { marked } from '../../../tools/domain/marked.ts';
import type { Deps } from '../../deps.ts';
import { executeServerTool } from './server-tool.ts';

/** The gateway waits for an answer for 10 s; a second is for ending the connection. */
const maxTrialMs = 8000;
/** The least time for a call, after the list of the server was read again. */
const minCallMs = 2000;

/**
 * Calls a tool once for an admin who looks at exactly this definition. @throws HttpError 404; 409 when it isn't allowed
 * or has changed; 422 when it may have an effect and the call isn't confirmed; 503 when the server can't be read.
 */
export async function tryServerTool(
  deps: Deps,
  key: ServerToolKey,
  { arguments: parameters, pin, isConfirmed }: TryServerToolBody,
): Promise<ServerToolTrial> {
  const begunAt = performance.now();
  await withTenant(deps.database, [key.tenantId], async (tx) => {
    found(await getServer(tx, key), 'server');
    found(await getServerTool(tx, key), 'tool');
  });
  const tool = await usableNow(deps, key);
  if (tool.pin !== pin) throw conflict('the tool has changed since: look at the difference first');
  if (!tool.readsOnly && !isConfirmed)
    throw unprocessable('isConfirmed: this tool may have an effect: confirm that it may be called');
  const { serverId, name } = key;
  return await deps.visits.run(key.tenantId, async () => {
    const leftMs = Math.floor(maxTrialMs - (performance.now() - begunAt));
    if (leftMs < minCallMs) throw unavailable('the server is slow to list its tools: try again');
    const calledAt = performance.now();
    const { outcome, text, detail } = await executeServerTool(deps, tool, {
      call: { parameters },
      watch: { maxMs: leftMs },
    });
    deps.log.info({ audit: 'tool of a server tried', serverId, name, pin, outcome }, 'audit');
    return {
      // Only a call of a chat has a ticket in which a person can give the input.
      outcome: outcome === 'postponed' || outcome === 'asks' ? 'failed' : outcome,
      text: text === '' ? '' : marked(text),
      detail: outcome === 'asks' ? 'the server asks for input, which only calls of chats can give' : detail,
      tookMs: Math.round(performance.now() - calledAt),
    };
  });
}

async function usableNow(deps: Deps, key: ServerToolKey): Promise<UsableTool> {
  try {
    return await requireUsableTool(deps, key);
  } catch (error) {
    if (!(error instanceof UnusableTool)) throw error;
    throw error.fault === 'gone'
      ? conflict(error.message, { cause: error })
      : unavailable(error.message, { cause: error });
  }
}
