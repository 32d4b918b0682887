import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { Deps as McpDeps } from '../mcp/deps.ts';

export interface Deps extends Foundation, Pick<McpDeps, 'egress' | 'keyring'> {
  tenantPurge: TenantPurge;
  /** Archive files, and files of messages. */
  objects: ObjectStore;
  /** Wakes the worker, because messages may be waiting for an answer. */
  wakeWorker: (inMs?: number) => void;
}
