import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useActing, useSeesTenant } from '../api/acting.tsx';
import { mayRead } from './pages.ts';
import { kinds, maxThings, type Thing } from './things.ts';

/** Requests start after this pause in typing and from `minLength` characters on. */
const settledAfterMs = 200;
const minLength = 2;

interface FoundThings {
  groups: readonly { title: string; things: readonly Thing[] }[];
  errors: readonly { title: string; error: Error }[];
  isSearching: boolean;
}

/** Finds the tenant's items by name. Requests for an outdated text are canceled. */
export function useThings(text: string): FoundThings {
  const acting = useActing();
  const { as, tenantId } = acting;
  const settled = useSettled(text.trim().slice(0, 100));
  const isWanted = useSeesTenant() && settled.length >= minLength;
  const answers = useQueries({
    queries: kinds.map(({ title, isWhole, page, find }) => ({
      queryKey: [as, tenantId, 'things', title, isWhole ? '' : settled],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        find({ tenantId: tenantId ?? '', text: settled, signal }),
      enabled: isWanted && mayRead(page, acting),
    })),
  });
  const groups = answers.map(({ data, error, isFetching }, at) => {
    const { title = '', isWhole } = kinds[at] ?? {};
    const things = isWhole ? (data ?? []).filter(({ name }) => isCalled(name, settled)) : (data ?? []);
    return { title, things: things.slice(0, maxThings), error, isFetching };
  });
  if (!isWanted) return { groups: [], errors: [], isSearching: text.trim().length >= minLength };
  return {
    groups: groups.filter(({ things }) => things.length > 0),
    errors: groups.flatMap(({ title, error }) => (error ? [{ title, error }] : [])),
    isSearching: settled !== text.trim().slice(0, 100) || groups.some(({ isFetching }) => isFetching),
  };
}

const isCalled = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());

function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), settledAfterMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
