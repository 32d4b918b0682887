import type { Network } from '../rig/network/network.ts';
import type { Pairs } from '../rig/pairs.ts';
import type { DetectionTimes } from './observer.ts';

/** Two sides between which the network fails. */
export interface Partition {
  some: readonly string[];
  others: readonly string[];
  /** Tried by `npm test`, too. */
  isSmall?: boolean;
  /** Everything is ready again while the fault lasts. */
  isTolerated?: boolean;
  /** Between the nats-server that leads most when the fault begins, and the others. */
  isAroundLeader?: boolean;
  /** The reports that show the fault within 10 s. */
  reportedBy: (fault: PartitionFault) => (keyof DetectionTimes)[];
}

export interface PartitionFault {
  name: 'cut' | 'cut of one process' | 'lost to' | 'lost from' | 'slow' | 'paused' | 'one of two paused';
  begin(network: Network, partition: Partition, pairs: Pairs): Promise<void> | void;
  /** The processes that it affects. */
  hits(partition: Partition): readonly string[];
}

const all = ({ some }: Partition) => some;
const first = ({ some }: Partition) => some.slice(0, 1);

export const networkFaults: readonly PartitionFault[] = [
  { name: 'cut', begin: (network, { some, others }) => network.cut(some, others), hits: all },
  {
    name: 'cut of one process',
    begin: (network, partition) => network.cut(first(partition), partition.others),
    hits: first,
  },
  { name: 'lost to', begin: (network, { some, others }) => network.lose(some, others), hits: all },
  { name: 'lost from', begin: (network, { some, others }) => network.lose(others, some), hits: all },
  { name: 'slow', begin: (network, { some, others }) => network.slow(some, others), hits: all },
];

const pause = (pairs: Pairs, names: readonly string[]) => {
  for (const name of names) pairs.signal(name, 'SIGSTOP');
};

/** Paused processes, as on a machine that swaps or is moved: they exist, and do nothing. */
export const pauses: readonly PartitionFault[] = [
  { name: 'paused', begin: (_network, { some }, pairs) => pause(pairs, some), hits: all },
  {
    name: 'one of two paused',
    begin: (_network, { some }, pairs) => pause(pairs, some.slice(0, 1)),
    hits: first,
  },
];

/** A paused process writes nothing: other processes report it. */
export const reportedByOthers = ({ name }: PartitionFault): (keyof DetectionTimes)[] =>
  name === 'paused' ? ['readiness', 'health'] : ['readiness'];

/** A service that lost a dependency reports it; health doesn't report one of two processes. */
export const reportedAsOutage = ({ name }: PartitionFault): (keyof DetectionTimes)[] => {
  if (name === 'slow') return [];
  return name === 'cut of one process' ? ['readiness', 'warning'] : ['readiness', 'health', 'warning'];
};

/**
 * A fault of something external, or of something that not every request needs, doesn't make a process unready: a
 * balancer would remove what still works.
 */
export const reportedAsWarning = ({ name }: PartitionFault): (keyof DetectionTimes)[] =>
  name === 'slow' ? [] : ['warning'];
