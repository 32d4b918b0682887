import type { Answer, GetPath, ListItem, ListPath } from '@botyard/client/client';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useActing } from './acting.tsx';
import { api } from './api.ts';
import type { Topic } from './live-stream.ts';
import { useLive } from './use-live.ts';

export interface AnswerOptions {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Whether to ask at all: while something isn't chosen yet, there is nothing to ask. */
  enabled?: boolean;
  everyMs?: number;
  /** Which live events tell of it. Then it is asked for slowly, and only while they can't be heard. */
  live?: Topic;
}

interface ListOptions<Path extends ListPath> extends AnswerOptions {
  /** True for an item whose next change no event tells. The list is polled until it has none. */
  isUnsettled?: (item: ListItem<Path>) => boolean;
}

/** An answer that a page shows, and its request by hand. */
export interface Shown {
  address: string;
  data: unknown;
}

type AnyGet = (path: string, init: object) => Promise<unknown>;
type AnyPage = (path: string, init: object) => Promise<{ items: unknown[]; next: string | null }>;

/** While events can't be heard, and after an answer that failed. */
const unheardEveryMs = 15_000;
const unsettledEveryMs = 3000;

export function addressOf(path: string, { path: names = {}, query = {} }: AnswerOptions): string {
  const whole = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return search.size > 0 ? `${whole}?${search}` : whole;
}

interface Kept<Data> {
  state: { data: Data | undefined; status: string };
}

/** When an answer is asked for again. */
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
  // Nothing tells of what happened before the page listened, however lately that was.
  return { enabled, refetchInterval, staleTime: 0 };
}

/** Asks for one thing, and asks again when the page comes back, the time is over or an event tells of it. */
export function useAnswer<Path extends GetPath>(path: Path, options: AnswerOptions = {}) {
  const { as, tenantId } = useActing();
  const address = addressOf(path, options);
  const queryKey = [as, tenantId, address];
  const { data, error, refetch } = useQuery({
    ...useFreshness<Answer<Path>>(queryKey, options),
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

/** A list, page by page. */
export function useList<Path extends ListPath>(path: Path, options: ListOptions<Path> = {}) {
  const { as, tenantId } = useActing();
  const address = addressOf(path, options);
  const queryKey = [as, tenantId, address, 'list'];
  const { isUnsettled = () => false } = options;
  const isAnyUnsettled = ({ pages }: Pages) =>
    pages.some(({ items }) => (items as ListItem<Path>[]).some(isUnsettled));
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...useFreshness<Pages>(queryKey, options, isAnyUnsettled),
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      (api.page as unknown as AnyPage)(path, {
        signal,
        params: { path: options.path, query: { ...options.query, before: pageParam ?? undefined } },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
  const items = data?.pages.flatMap((page) => page.items) as ListItem<Path>[] | undefined;
  return { data: items, error, refetch, address, more: hasNextPage ? () => void fetchNextPage() : undefined };
}
