import { createHash } from 'node:crypto';
import type { TenantTx } from '@botyard/shared/db/database';
import { visibleProse } from '@botyard/shared/words/visible';
import { v5 as uuidv5 } from 'uuid';
import { listServerTools, type ServerToolRow } from '../store/server-tools.ts';
import { readDefinition, type ToolDefinition } from './definition.ts';
import { stateOf } from './tool-state.ts';

/** A tool of a server that an agent names. */
export interface NamedTool {
  toolId: string;
  pin: string;
  serverId: string;
  /** The server's name for it. */
  name: string;
  /** The name for models: at most 64 of `A-Za-z0-9_-`, and no other tool of the agent has it. */
  offeredName: string;
  /** As the admin saw it, with hidden characters written out. */
  description: string;
  inputSchema: Record<string, unknown>;
}

type ToolOfServer = Pick<ServerToolRow, 'serverId' | 'name'>;

/** A tool that an agent has by its server needs no definition of its own: the same identifier for the same name. */
export const toolIdOf = ({ serverId, name }: ToolOfServer): string => uuidv5(name, serverId);

/** The allowed tools of the servers, in their order, as they were last read; no server is contacted. */
export async function listNamedTools(
  tx: TenantTx,
  { tenantId, serverIds }: { tenantId: string; serverIds: readonly string[] },
  takenNames: ReadonlySet<string>,
): Promise<NamedTool[]> {
  const rows: ServerToolRow[] = [];
  for (const serverId of serverIds) rows.push(...(await listServerTools(tx, { tenantId, serverId })));
  const allowed = rows.filter((row) => stateOf(row) === 'allowed');
  const offeredNames = uniqueNames(allowed, takenNames);
  return allowed.map((row, index) => {
    const { serverId, name, pin } = row;
    const definition = readDefinition(row.definition);
    return {
      toolId: toolIdOf(row),
      pin,
      serverId,
      name,
      offeredName: offeredNames[index]!,
      description: descriptionOf(definition),
      inputSchema: definition.inputSchema,
    };
  });
}

function descriptionOf({ title, description }: ToolDefinition): string {
  const texts = [title, description].filter((text) => text !== undefined && text !== '');
  return visibleProse(texts.join('\n'));
}

const maxNameUnits = 64;
const hashUnits = 8;

/**
 * Names that models' providers accept. A name that isn't one, or that another tool has, gets a part of its hash, so
 * that it doesn't depend on the other tools which name it is.
 */
export function uniqueNames(tools: readonly ToolOfServer[], takenNames: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map((tool) => {
    const { name } = tool;
    const isUsable = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name);
    if (isUsable && counts.get(name) === 1 && !takenNames.has(name)) return name;
    return hashedName(tool);
  });
}

function hashedName({ serverId, name }: ToolOfServer): string {
  const hash = createHash('sha256').update(`${serverId}/${name}`).digest('hex').slice(0, hashUnits);
  const words = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^[^A-Za-z]/, 'tool_$&');
  return `${words.slice(0, maxNameUnits - hashUnits - 1)}_${hash}`;
}
