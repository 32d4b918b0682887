import type { AgentsConfig } from '../config.ts';
import type { Deps as ConversationsDeps } from '../conversations/deps.ts';
import type { Deps as McpDeps } from '../mcp/deps.ts';
import type { Deps as ToolsDeps } from '../tools/deps.ts';
import type { ToolProvider } from './clients/tool-provider.ts';

export interface Deps extends ConversationsDeps, McpDeps, ToolsDeps {
  config: Pick<AgentsConfig, 'TOOL_INTEGRATIONS_ENABLED' | 'EGRESS_ALLOWED_HOSTS' | 'PRIVATE_LLM_BASE_URL'>;
  toolProvider: ToolProvider;
  /** Wakes the ticket worker, because a ticket may have been decided. */
  wakeTickets: (inMs?: number) => void;
  /** Wakes the worker, because messages may be waiting for an answer. */
  wakeWorker: (inMs?: number) => void;
}
