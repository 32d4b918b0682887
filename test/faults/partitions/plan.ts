import type { Network } from '../rig/network/network.ts';
import type { Pairs } from '../rig/pairs.ts';
import type { Shown } from './observer.ts';

/** Two sides between which the network fails. */
export interface Partition {
  some: readonly string[];
  others: readonly string[];
  /** Tried by `npm test`, too. */
  isSmall?: boolean;
  /** Everything is ready again while the fault lasts. */
  isLivedWith?: boolean;
  /** Between the nats-server that leads most when the fault begins, and the others. */
  isAroundLeader?: boolean;
  /** What tells of it within 10 s. */
  shows: (weather: Weather) => (keyof Shown)[];
}

export interface Weather {
  name: 'cut' | 'cut of one process' | 'lost to' | 'lost from' | 'slow' | 'paused' | 'one of two paused';
  begin(network: Network, partition: Partition, pairs: Pairs): Promise<void> | void;
  /** The processes that it befalls. */
  hits(partition: Partition): readonly string[];
}

const all = ({ some }: Partition) => some;
const first = ({ some }: Partition) => some.slice(0, 1);

export const weathers: readonly Weather[] = [
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

/** Processes that stand still, as on a machine that swaps or is moved: they are there, and do nothing. */
export const pauses: readonly Weather[] = [
  { name: 'paused', begin: (_network, { some }, pairs) => pause(pairs, some), hits: all },
  {
    name: 'one of two paused',
    begin: (_network, { some }, pairs) => pause(pairs, some.slice(0, 1)),
    hits: first,
  },
];

/** Who stands still writes nothing: others tell of it. */
export const isMissed = ({ name }: Weather): (keyof Shown)[] =>
  name === 'paused' ? ['readiness', 'health'] : ['readiness'];

/** A service that lost what it needs says so; one of two processes is nothing that health tells of. */
export const stops = ({ name }: Weather): (keyof Shown)[] => {
  if (name === 'slow') return [];
  return name === 'cut of one process' ? ['readiness', 'warning'] : ['readiness', 'health', 'warning'];
};

/**
 * What is outside, or not needed for every request, makes nobody unready: a balancer would take away what still works.
 */
export const warns = ({ name }: Weather): (keyof Shown)[] => (name === 'slow' ? [] : ['warning']);
