import { between, oneOf, type Random } from '../rig/random.ts';

export const kinds = [
  'process killed',
  'process paused',
  'link reset',
  'link ended',
  'link swallows',
  'link slow',
  'link narrow',
  'link refuses',
  'nats killed',
  'nats paused',
  'postgres killed',
  'messenger 429',
  'messenger 500',
  'messenger hangs',
  'messenger loses its answer',
  'model 429',
  'model 500',
  'model hangs',
] as const;
export type Kind = (typeof kinds)[number];

/** Something that goes wrong at a moment, and is well again after a while; both from the beginning of the mix on. */
export interface PlannedFault {
  kind: Kind;
  /** The process, link or server; the name of the kind if there is only one. */
  target: string;
  atMs: number;
  untilMs: number;
}

/** The components that can be broken. */
export interface Targets {
  processes: readonly string[];
  links: readonly string[];
  natsServers: readonly string[];
}

export interface Length {
  durationMs: number;
  /** On average. */
  gapMs: number;
  /** The longest fault. */
  longestMs: number;
}

const leastMs = 500;

/**
 * A plan of faults and their times, drawn in advance: the same seed gives the same plan. Faults overlap, but none
 * hits a component that already has one, and of several nats-servers and platforms only one fails at a time.
 */
export function draw(
  random: Random,
  targets: Targets,
  { durationMs, gapMs, longestMs }: Length,
): PlannedFault[] {
  const faults: PlannedFault[] = [];
  const busyUntil = new Map<string, number>();
  for (let atMs = between(random, 0, gapMs); atMs < durationMs; atMs += between(random, 1, 2 * gapMs)) {
    const kind = oneOf(random, kinds);
    const target = targetOf(kind, random, targets);
    const untilMs = Math.min(durationMs, atMs + between(random, leastMs, longestMs));
    const place = placeOf({ kind, target });
    if ((busyUntil.get(place) ?? 0) > atMs) continue;
    busyUntil.set(place, untilMs + leastMs);
    faults.push({ kind, target, atMs, untilMs });
  }
  return faults;
}

function targetOf(kind: Kind, random: Random, { processes, links, natsServers }: Targets): string {
  const [word = ''] = kind.split(' ');
  if (word === 'process') return oneOf(random, processes);
  if (word === 'link') return oneOf(random, links);
  if (word === 'nats') return oneOf(random, natsServers);
  return word;
}

/** The component that a fault occupies; for one of several nats-servers, all of them. */
export const placeOf = ({ kind, target }: Pick<PlannedFault, 'kind' | 'target'>): string =>
  kind.startsWith('nats') ? 'nats' : target;

export const describeFault = ({ kind, target, atMs, untilMs }: PlannedFault): string =>
  `${(atMs / 1000).toFixed(1)} s to ${(untilMs / 1000).toFixed(1)} s: ${kind}, ${target}`;
