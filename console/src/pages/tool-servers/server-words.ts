import type { Schema } from '@botyard/client/client';

export type ToolServer = Schema<'ToolServer'>;
export type ServerTool = Schema<'ServerTool'>;

export const serversPath = '/api/integrations/servers';

/** Display names of the states of servers. */
export const serverStateWords: Readonly<Record<ToolServer['state'], string>> = {
  unchecked: 'not read yet',
  ready: 'ready',
  needs_authorization: 'not authorized',
  failed: 'failed',
};

/** The states of tools, with what they mean for agents. */
export const toolStateMeanings: Readonly<Record<ServerTool['state'], string>> = {
  new: 'Agents can not use it before you allow it.',
  changed:
    'Its definition is no longer the one that was decided about. Agents can not use it before you allow it.',
  allowed: 'Agents that you give it to can use it.',
  refused: 'It can not be allowed.',
};

export const toolkitOf = ({ serverId }: Pick<ToolServer, 'serverId'>): string => `mcp-${serverId}`;

/** The server that a toolkit stands for. */
export const serverIdOf = (toolkit: unknown): string | undefined =>
  typeof toolkit === 'string' ? /^mcp-([0-9a-f-]{36})$/.exec(toolkit)?.[1] : undefined;

/** A name that models can call a tool by, made from the name that its server gives it. */
export function callableName(name: string): string {
  const accepted = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 60);
  return /^[A-Za-z]/.test(accepted) ? accepted : `tool_${accepted}`.slice(0, 60);
}
