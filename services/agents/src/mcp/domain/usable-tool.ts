import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { HttpError, isUnavailable } from '@botyard/shared/http/errors';
import { type CallWatch, type Continuation, callTool, type ServerQuestion } from '../clients/server-call.ts';
import { getServerTool, type ServerToolKey, type ServerToolRow } from '../store/server-tools.ts';
import { getServer, type ServerRow } from '../store/servers.ts';
import type { TokenDeps } from './access-token.ts';
import { openAddress } from './authorization.ts';
import { readDefinition, type ToolDefinition } from './definition.ts';
import { requireSameForPerson } from './own-list.ts';
import { maxListAgeMs, type RefreshDeps, refreshServer } from './refresh.ts';
import { type ResultParts, readParts } from './result-parts.ts';
import { stateOf } from './tool-state.ts';
import { UnusableTool } from './unusable-tool.ts';

/** A tool that an admin has allowed, as its server lists it now. */
export interface UsableTool {
  server: ServerRow;
  name: string;
  pin: string;
  definition: ToolDefinition;
  readsOnly: boolean;
  repeatable: boolean;
  /** The person whose account calls use; `null`: the tenant's authorization. */
  personId: string | null;
}

/** The person whose own account may be used, or why nobody's may. */
export type Grantee = { personId: string } | { reason: string };

const handTrial: Grantee = { reason: 'its calls use the account of a person, who asks for them in a chat' };

/** A server that failed isn't read again for this long. */
const restMs = 10_000;

/**
 * The tool, if it is allowed. Its server's list is read again if it is old, or in any case before an approved call.
 * @throws UnusableTool.
 */
export async function requireUsableTool(
  deps: RefreshDeps,
  key: ServerToolKey,
  { isApproved = false, grantee = handTrial }: { isApproved?: boolean; grantee?: Grantee } = {},
): Promise<UsableTool> {
  const { database } = deps;
  const { server: known } = await withTenant(database, [key.tenantId], (tx) => lookUp(tx, key));
  if (!known) throw new UnusableTool('gone', 'the server of this tool no longer exists');
  const ageMs = known.checkedAt ? Date.now() - known.checkedAt.getTime() : Number.POSITIVE_INFINITY;
  const isFresh =
    known.state === 'ready' ? ageMs < (known.listTtlMs ?? maxListAgeMs) && !isApproved : ageMs < restMs;
  if (!isFresh) await readAgain(deps, key);
  const { server, tool } = await withTenant(database, [key.tenantId], (tx) => lookUp(tx, key));
  if (server?.state !== 'ready')
    throw new UnusableTool('away', server?.lastError ?? 'the server could not be reached');
  const usableTool = usable(server, tool);
  if (server.grantOf === 'tenant') return usableTool;
  if ('reason' in grantee) throw new UnusableTool('gone', grantee.reason);
  await requireSameForPerson(deps, usableTool, { ...grantee, isApproved });
  return { ...usableTool, personId: grantee.personId };
}

const lookUp = async (tx: TenantTx, key: ServerToolKey) => ({
  server: await getServer(tx, key),
  tool: await getServerTool(tx, key),
});

async function readAgain(deps: RefreshDeps, key: ServerToolKey): Promise<void> {
  try {
    await refreshServer(deps, key);
  } catch (error) {
    const isPassing = isUnavailable(error) || (error instanceof HttpError && error.status === 409);
    throw isPassing ? new UnusableTool('away', 'the server could not be read', { cause: error }) : error;
  }
}

function usable(server: ServerRow, tool: ServerToolRow | undefined): UsableTool {
  if (!tool?.isListed) throw new UnusableTool('gone', 'the server no longer has this tool');
  const state = stateOf(tool);
  if (state === 'changed')
    throw new UnusableTool('gone', 'the tool has changed, and no admin has allowed it since');
  if (state !== 'allowed') throw new UnusableTool('gone', 'no admin has allowed this tool');
  const { name, pin, readsOnly, repeatable, definition } = tool;
  return {
    server,
    name,
    pin,
    readsOnly,
    repeatable,
    definition: readDefinition(definition),
    personId: null,
  };
}

/** The definitions of allowed tools as they were last read; no server is contacted. */
export async function allowedDefinition(
  tx: TenantTx,
  key: ServerToolKey,
): Promise<ToolDefinition | undefined> {
  const tool = await getServerTool(tx, key);
  return tool?.isListed && stateOf(tool) === 'allowed' ? readDefinition(tool.definition) : undefined;
}

/** The result of a call: foreign data. */
interface CallResult extends ResultParts {
  isError: boolean;
}

/** One call, or its continuation. */
export interface ToolCall {
  parameters: Record<string, unknown>;
  continuation?: Continuation | undefined;
}

/** Calls a tool once. @throws VisitError, which says whether it may have run. */
export async function callServerTool(
  deps: TokenDeps,
  { server, name, definition, personId }: UsableTool,
  { parameters, continuation }: ToolCall,
  watch?: CallWatch,
): Promise<CallResult | ServerQuestion> {
  const address = await openAddress(deps, server, personId);
  const call = { name, arguments: parameters, inputSchema: definition.inputSchema, continuation };
  const answer = await callTool(deps.egress, address, call, watch);
  return 'inputRequests' in answer ? answer : { isError: answer.isError, ...readParts(answer) };
}
