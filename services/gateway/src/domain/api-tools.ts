import type { Router } from '@botyard/contracts/http/contract';
import { callTool } from './mcp-call.ts';
import type { McpTool } from './mcp-server.ts';
import { createTools } from './mcp-tools.ts';

/** The operations of the API as tools of the MCP server. */
export const createApiTools = (routers: readonly Router[]): McpTool[] =>
  createTools(routers).map((tool) => ({
    ...tool,
    run: (args, caller) => callTool(tool, args, caller),
  }));
