import type { Database } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Endpoints } from '../../endpoints/domain/endpoints.ts';
import type { TextThread } from '../adapter.ts';
import type { GraphClient } from './clients/graph.ts';
import type { GraphFiles } from './clients/graph-files.ts';

export interface Deps extends Pick<Foundation, 'log' | 'database'> {
  graph: GraphClient;
  graphFiles: GraphFiles;
  /** A separate pool, so that no other work can delay a delivery (REQ-REL-9). */
  admissionDatabase: Database;
  endpoints: Endpoints;
  /** Secrets of one app for many tenants. */
  app: { appSecret: Secret | undefined; verifyToken: Secret | undefined };
  texts: TextThread;
  /** Holds the files that staff sends. */
  objects: ObjectStore;
}
