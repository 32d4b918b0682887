import { startThread } from './thread.ts';

export interface FloodRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** The client's address, one of this machine. */
  localAddress?: string;
}

export interface FloodWork {
  connections: number;
  requests: readonly FloodRequest[];
}

/** The number of answers by status; 0 is a broken connection. */
export type Statuses = ReadonlyMap<number, number>;

export interface Flood {
  /** Empty until the flood has been stopped. */
  readonly statuses: Statuses;
  stop(): Promise<void>;
}

/** Repeats requests in turn on many connections at once, without a pause, until it is stopped. */
export function flood(connections: number, requests: readonly FloodRequest[]): Flood {
  const work: FloodWork = { connections, requests };
  const thread = startThread<Statuses>(new URL('./flood-thread.ts', import.meta.url), work);
  let statuses: Statuses = new Map();
  return {
    get statuses() {
      return statuses;
    },
    stop: async () => {
      statuses = await thread.stop();
    },
  };
}

/** The number of answers with any status but these. */
export const countOthers = ({ statuses }: Flood, ...expected: number[]): number =>
  [...statuses].filter(([status]) => !expected.includes(status)).reduce((sum, [, count]) => sum + count, 0);

export const countAnswers = ({ statuses }: Flood, status: number): number => statuses.get(status) ?? 0;
