import type { Secret } from '@botyard/shared/secrets/secret';
import type { AdapterContext } from '../adapter.ts';
import type { GraphClient } from './clients/graph.ts';
import type { GraphFiles } from './clients/graph-files.ts';

type Shared = 'log' | 'database' | 'admissionDatabase' | 'endpoints' | 'texts' | 'objects';

export interface Deps extends Pick<AdapterContext, Shared> {
  graph: GraphClient;
  graphFiles: GraphFiles;
  /** Secrets of one app for many tenants. */
  app: { appSecret: Secret | undefined; verifyToken: Secret | undefined };
}
