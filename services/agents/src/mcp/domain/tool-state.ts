import type {
  PutServerToolBody,
  ServerTool,
  ServerToolDifference,
  ServerToolParameter,
  ServerToolState,
} from '@botyard/contracts/http/integrations-server-tools';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { visibleJson, visibleProse } from '@botyard/shared/words/visible';
import type { Deps } from '../deps.ts';
import {
  lockServerTool,
  type ServerToolKey,
  type ServerToolRow,
  updateServerTool,
} from '../store/server-tools.ts';
import { definitionFields, readDefinition, type ToolDefinition } from './definition.ts';

/** A tool is what an admin saw: any other definition is off. */
export function stateOf({ refusal, pin, decidedPin, isAllowed }: ServerToolRow): ServerToolState {
  if (refusal !== null) return 'refused';
  if (decidedPin !== null && decidedPin !== pin) return 'changed';
  return decidedPin !== null && isAllowed ? 'allowed' : 'new';
}

/** A tool for clients. Texts of the server have no hidden characters. */
export function toServerTool(row: ServerToolRow): ServerTool {
  const { name, pin, refusal, readsOnly, repeatable, definition, decidedDefinition } = row;
  const state = stateOf(row);
  const now = definition === '' ? undefined : readDefinition(definition);
  const before = decidedDefinition === null ? undefined : readDefinition(decidedDefinition);
  return {
    name,
    pin,
    refusal,
    readsOnly,
    repeatable,
    state,
    title: shown(now?.title),
    description: shown(now?.description),
    isAllowed: state === 'allowed',
    ...(now && state === 'allowed' ? { parameters: parametersOf(now) } : {}),
    ...(now && row.decidedPin !== pin ? { difference: differenceOf(before, now) } : {}),
  };
}

const maxParameters = 50;
/** Other names could look like something else in a form. */
const plainName = /^[\w$.-]{1,128}$/;
const plainTypes = ['string', 'number', 'integer', 'boolean'] as const;

/** The arguments by the schema of the server, whose parts may have any form. */
function parametersOf({ inputSchema }: ToolDefinition): ServerToolParameter[] {
  const properties = Object(inputSchema.properties) as Record<string, unknown>;
  const required: unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  return Object.keys(properties)
    .filter((name) => plainName.test(name))
    .slice(0, maxParameters)
    .map((name) => ({
      name,
      type: plainTypes.find((type) => type === Object(properties[name]).type) ?? null,
      isRequired: required.includes(name),
    }));
}

function differenceOf(before: ToolDefinition | undefined, after: ToolDefinition): ServerToolDifference[] {
  return definitionFields
    .map((field) => ({ field, before: shown(before?.[field]), after: shown(after[field]) }))
    .filter((change) => change.before !== change.after);
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? visibleProse(value) : visibleJson(value);
}

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
