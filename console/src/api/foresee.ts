import type { QueryClient } from '@tanstack/react-query';

/** The expected change of an action, if it is not refused. */
export interface Foreseen {
  /** The addresses of the answers that show it, without the part from `?` on. */
  at: readonly string[];
  /** Selects things in these answers: those with these values. */
  only: Readonly<Record<string, unknown>>;
  change: Readonly<Record<string, unknown>>;
}

/**
 * Shows an expected change in all cached answers. Returns a function that takes it back: it restores the cache and
 * reads again, since the refused thing may be different by now.
 */
export async function foresee(queries: QueryClient, foreseen: Foreseen): Promise<() => void> {
  const shown = {
    predicate: ({ queryKey: [, , address] }: { queryKey: readonly unknown[] }) =>
      typeof address === 'string' && foreseen.at.includes(address.split('?')[0] ?? ''),
  };
  // A pending answer would show the old state.
  await queries.cancelQueries(shown);
  const before = queries.getQueriesData(shown);
  queries.setQueriesData(shown, (answer: unknown) => withChange(answer, foreseen));
  return () => {
    for (const [queryKey, answer] of before) queries.setQueryData(queryKey, answer);
    void queries.invalidateQueries(shown);
  };
}

/** An answer in which the things that are meant are changed, however deep in its lists they are. */
function withChange(answer: unknown, foreseen: Foreseen): unknown {
  if (Array.isArray(answer)) return answer.map((one) => withChange(one, foreseen));
  if (typeof answer !== 'object' || answer === null) return answer;
  const { only, change } = foreseen;
  const thing = answer as Record<string, unknown>;
  if (Object.entries(only).every(([name, value]) => thing[name] === value)) return { ...thing, ...change };
  // The pages of a list.
  if (Array.isArray(thing.pages)) return { ...thing, pages: withChange(thing.pages, foreseen) };
  if (Array.isArray(thing.items)) return { ...thing, items: withChange(thing.items, foreseen) };
  return answer;
}
