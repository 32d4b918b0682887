import type { Answer, GetPath, ListItem, ListPath } from '@botyard/client/client';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useActing } from './acting.tsx';
import { addressOf } from './address.ts';
import { api } from './api.ts';
import type { Topic } from './live-stream.ts';
import { useLive } from './use-live.ts';
import { whenIdle } from './when-idle.ts';

export interface AnswerOptions {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** False while a required choice is missing: no request is sent. Defaults to true. */
  enabled?: boolean;
  everyMs?: number;
  /** The live events that refresh the response. Polling is then only the fallback while the stream is closed. */
  live?: Topic;
}

interface OneOptions<Path extends GetPath> extends AnswerOptions {
  /** True if the next change sends no event. The response is polled until then. */
  isUnsettled?: (answer: Answer<Path>) => boolean;
}

interface ListOptions<Path extends ListPath> extends AnswerOptions {
  /** True for an item whose next change sends no event. The list is polled while it contains such an item. */
  isUnsettled?: (item: ListItem<Path>) => boolean;
}

/** A response that a page shows, and the address of its request. */
export interface Shown {
  address: string;
  data: unknown;
}

type AnyGet = (path: string, init: object) => Promise<unknown>;
type AnyPage = (path: string, init: object) => Promise<{ items: unknown[]; next: string | null }>;

/** The polling interval while the event stream is closed, and after a failed request. */
const unheardEveryMs = 15_000;
const unsettledEveryMs = 3000;

interface Kept<Data> {
  state: { data: Data | undefined; status: string };
}

/** Decides when a response is refetched. */
function useFreshness<Data>(
  queryKey: readonly unknown[],
  { enabled = true, everyMs, live }: AnswerOptions,
  isUnsettled: (data: Data) => boolean = () => false,
) {
  const isHeard = useLive(enabled ? live : undefined, queryKey);
  if (!live) return { enabled, refetchInterval: everyMs ?? (false as const) };
  const refetchInterval = ({ state: { data, status } }: Kept<Data>) => {
    if (!isHeard || status === 'error') return unheardEveryMs;
    return data !== undefined && isUnsettled(data) ? unsettledEveryMs : (false as const);
  };
  // A cached response may have missed events from before the page listened, so it is always stale.
  return { enabled, refetchInterval, staleTime: 0 };
}

/** Fetches one resource. Refetches it on focus, on its interval and on its live events. */
export function useAnswer<Path extends GetPath>(path: Path, options: OneOptions<Path> = {}) {
  const { as, tenantId } = useActing();
  const address = addressOf(path, options);
  const queryKey = [as, tenantId, address];
  const { data, error, refetch } = useQuery({
    ...useFreshness<Answer<Path>>(queryKey, options, options.isUnsettled),
    queryKey,
    queryFn: async ({ signal }) =>
      (await (api.get as unknown as AnyGet)(path, {
        signal,
        params: { path: options.path, query: options.query },
      })) as Answer<Path>,
    placeholderData: keepPreviousData,
  });
  return { data, error, refetch, address };
}

interface Pages {
  pages: { items: unknown[] }[];
}

/** Fetches a list page by page. */
export function useList<Path extends ListPath>(path: Path, options: ListOptions<Path> = {}) {
  const { as, tenantId } = useActing();
  const address = addressOf(path, options);
  const queryKey = [as, tenantId, address, 'list'];
  const { isUnsettled = () => false } = options;
  const isAnyUnsettled = ({ pages }: Pages) =>
    pages.some(({ items }) => (items as ListItem<Path>[]).some(isUnsettled));
  const queries = useQueryClient();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchNextPageError } = useInfiniteQuery({
    ...useFreshness<Pages>(queryKey, options, isAnyUnsettled),
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      (api.page as unknown as AnyPage)(path, {
        signal,
        params: {
          path: options.path,
          query: { ...options.query, before: pageParam ?? undefined },
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
  const items = data?.pages.flatMap((page) => page.items) as ListItem<Path>[] | undefined;
  const fetchMore = () => whenIdle(queries, queryKey, () => fetchNextPage({ cancelRefetch: false }));
  return {
    data: items,
    error: isFetchNextPageError ? null : error,
    refetch,
    address,
    /** Loads the next page, if there is one. */
    more: hasNextPage ? () => void fetchMore() : undefined,
    moreError: isFetchNextPageError ? error : null,
  };
}
