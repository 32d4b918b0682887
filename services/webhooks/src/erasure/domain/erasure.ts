import type { Deps } from '../../deps.ts';
import type { PrivateTransport } from '../store/transport.ts';

export type EraseDeps = Pick<Deps, 'bus' | 'database' | 'objects' | 'wakeSender'>;

/** Everything that one call goes by. */
export interface Erasure {
  transport: PrivateTransport;
  /** Conversations of groups that the person is in. */
  groupIds: readonly string[];
  /** When to give up for this time. */
  deadline: number;
  add(store: string, erased: number): void;
}
