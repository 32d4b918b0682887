import type { Deps as AppsDeps } from '../apps/deps.ts';
import type { Deps as ExternalToolsDeps } from '../external-tools/deps.ts';
import type { Deps as MediaDeps } from '../media/deps.ts';
import type { Deps as RoutingDeps } from '../routing/deps.ts';
import type { ToolSearcher } from './domain/tool-searcher.ts';

interface Searching {
  /** Searches the tools of agents that have many. */
  toolSearcher: ToolSearcher;
}

export type Deps = AppsDeps & ExternalToolsDeps & MediaDeps & RoutingDeps & Searching;
