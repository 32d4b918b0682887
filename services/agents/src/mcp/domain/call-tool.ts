import { callTool, type ServerResult } from '../clients/server-visit.ts';
import type { TokenDeps } from './access-token.ts';
import { openAddress } from './authorization.ts';
import type { UsableTool } from './usable-tool.ts';

/** The result of a call in words: foreign data. */
export interface CallResult {
  isError: boolean;
  text: string;
}

/** Calls a tool once. @throws VisitError, which says whether it may have run. */
export async function callServerTool(
  deps: TokenDeps,
  { server, name, definition }: UsableTool,
  parameters: Record<string, unknown>,
): Promise<CallResult> {
  const address = await openAddress(deps, server);
  const call = { name, arguments: parameters, inputSchema: definition.inputSchema };
  const result = await callTool(deps.egress, address, call);
  return { isError: result.isError, text: wordsOf(result) };
}

/** Servers repeat structured content as text for readers that don't know it: it is used only if there is no text. */
function wordsOf({ content, structuredContent }: ServerResult): string {
  const parts = content.map(wordsOfPart).filter((words) => words !== '');
  if (parts.length > 0 || structuredContent === undefined) return parts.join('\n');
  return JSON.stringify(structuredContent) ?? '';
}

/** A part of a result. Pictures, sounds and files are named, links are written out; nothing is fetched. */
function wordsOfPart(part: unknown): string {
  const { type, text, uri, name, mimeType, resource } = Object(part) as Record<string, unknown>;
  switch (type) {
    case 'text':
      return String(text ?? '');
    case 'resource_link':
      return `[link: ${String(name ?? '')} (${String(uri ?? '')})]`;
    case 'resource': {
      const embedded = Object(resource) as Record<string, unknown>;
      return typeof embedded.text === 'string' ? embedded.text : `[file: ${String(embedded.uri ?? '')}]`;
    }
    case 'image':
    case 'audio':
      return `[${type}: ${String(mimeType ?? '')}]`;
    default:
      return '';
  }
}
