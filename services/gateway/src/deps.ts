import type { RuntimeContext } from '@botyard/shared/service/run-service';
import type { Collector } from './clients/collector.ts';
import type { Upstream } from './clients/upstream.ts';
import type { Authenticator } from './domain/authenticate.ts';
import type { Console } from './domain/console.ts';
import type { McpTool } from './domain/mcp-server.ts';
import type { ProtectedResource } from './domain/protected-resource.ts';
import type { RequestsInFlight } from './domain/requests-in-flight.ts';
import type { RoutingTable, UpstreamName } from './domain/routing-table.ts';
import type { SystemHealth } from './domain/system-health.ts';

/** Everything that code of the gateway may use. */
export interface Deps extends RuntimeContext {
  authenticator: Authenticator;
  findDestination: RoutingTable;
  upstreams: Readonly<Record<UpstreamName, Upstream>>;
  requestsInFlight: RequestsInFlight;
  checkHealth: () => Promise<SystemHealth>;
  /** Addresses and ranges whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** Tells clients of the MCP server where to get access tokens; `null` where none are accepted. */
  protectedResource: ProtectedResource | null;
  /** The tools of the MCP server. */
  mcpTools: readonly McpTool[];
  /** The origin of our own pages. */
  publicOrigin: string;
  console: Console;
  /** `null` where none is configured. */
  collector: Collector | null;
}
