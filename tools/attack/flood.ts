export interface Flood {
  /** Answers by status; 0 is a broken connection. */
  readonly statuses: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

/** Repeats a request on many connections at once, without a pause, until it is stopped. */
export function flood(connections: number, request: (signal: AbortSignal) => Promise<Response>): Flood {
  const statuses = new Map<number, number>();
  const ending = new AbortController();
  const { signal } = ending;
  const repeat = async () => {
    while (!signal.aborted) {
      const status = await request(signal).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      );
      if (!signal.aborted) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const all = Array.from({ length: connections }, repeat);
  return {
    statuses,
    stop: async () => {
      ending.abort();
      await Promise.allSettled(all);
    },
  };
}

/** The number of answers with any status but these. */
export const countOthers = ({ statuses }: Flood, ...expected: number[]): number =>
  [...statuses].filter(([status]) => !expected.includes(status)).reduce((sum, [, count]) => sum + count, 0);

export const countAnswers = ({ statuses }: Flood, status: number): number => statuses.get(status) ?? 0;
