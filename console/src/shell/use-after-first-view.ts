import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Resources that began to load before this mark belong to the first view. */
const firstViewMark = 'botyard:first-view';

/** The page counts as shown when no request has run for this long. */
const quietMs = 300;

/**
 * Loads code that the first view doesn't need, once the page has its data: on a slow line both would share the way. If
 * that fails, the code is loaded when it is needed.
 * @param parts always the same array
 */
export function useAfterFirstView(parts: readonly (() => Promise<unknown>)[]): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(() => {
        if (queries.isFetching() > 0) wait();
        else void loadInTurn(parts);
      }, quietMs);
    };
    wait();
    return () => clearTimeout(timer);
  }, [queries, parts]);
}

async function loadInTurn(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  performance.mark(firstViewMark);
  for (const load of parts) await load().catch(() => undefined);
}
