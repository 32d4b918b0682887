import type { Deps } from '../../deps.ts';

export type EraseDeps = Pick<Deps, 'bus' | 'database' | 'objects' | 'wakeWorker'>;

/** Everything that one call goes by. */
export interface Erasure {
  tenantId: string;
  personIds: string[];
  platformUserIds: string[];
  /** E-mail addresses among them, in lower case. */
  addresses: string[];
  privateIds: string[];
  groupIds: string[];
  erasedBefore: Date;
  deadline: number;
}
