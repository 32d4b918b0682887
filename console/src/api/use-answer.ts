import type { Answer, GetPath, ListItem, ListPath } from '@botyard/client/client';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useActing } from './acting.tsx';
import { api } from './api.ts';

export interface AnswerOptions {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Whether to ask at all: while something isn't chosen yet, there is nothing to ask. */
  enabled?: boolean;
  everyMs?: number;
}

/** What a page shows of an answer, and how one would ask for it by hand. */
export interface Shown {
  address: string;
  data: unknown;
}

type AnyGet = (path: string, init: object) => Promise<unknown>;
type AnyPage = (path: string, init: object) => Promise<{ items: unknown[]; next: string | null }>;

export function addressOf(path: string, { path: names = {}, query = {} }: AnswerOptions): string {
  const whole = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return search.size > 0 ? `${whole}?${search}` : whole;
}

/** Asks for one thing, and asks again when the page comes back or the time is over. */
export function useAnswer<Path extends GetPath>(path: Path, options: AnswerOptions = {}) {
  const { as, tenantId } = useActing();
  const address = addressOf(path, options);
  const { data, error, refetch } = useQuery({
    queryKey: [as, tenantId, address],
    queryFn: async ({ signal }) =>
      (await (api.get as unknown as AnyGet)(path, {
        signal,
        params: { path: options.path, query: options.query },
      })) as Answer<Path>,
    enabled: options.enabled ?? true,
    refetchInterval: options.everyMs ?? false,
    placeholderData: keepPreviousData,
  });
  return { data, error, refetch, address };
}

/** A list, page by page. */
export function useList<Path extends ListPath>(path: Path, options: AnswerOptions = {}) {
  const { as, tenantId } = useActing();
  const address = addressOf(path, options);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [as, tenantId, address, 'list'],
    queryFn: ({ pageParam, signal }) =>
      (api.page as unknown as AnyPage)(path, {
        signal,
        params: { path: options.path, query: { ...options.query, before: pageParam ?? undefined } },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    enabled: options.enabled ?? true,
    refetchInterval: options.everyMs ?? false,
  });
  const items = data?.pages.flatMap((page) => page.items) as ListItem<Path>[] | undefined;
  return { data: items, error, refetch, address, more: hasNextPage ? () => void fetchNextPage() : undefined };
}
