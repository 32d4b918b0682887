import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { whenIdle } from '../src/api/when-idle.ts';

const queryKey = ['anna', 'Demo', '/api/chats', 'list'];

/** A list of two pages. Requests are answered on demand. */
function pagedList() {
  const queries = new QueryClient();
  const requests: { page: number; answer: (text: string) => void }[] = [];
  const observer = new InfiniteQueryObserver(queries, {
    queryKey,
    queryFn: ({ pageParam }) =>
      new Promise<{ text: string; page: number }>((resolve) =>
        requests.push({ page: pageParam, answer: (text) => resolve({ text, page: pageParam }) }),
      ),
    initialPageParam: 1,
    getNextPageParam: ({ page }) => (page === 1 ? 2 : null),
  });
  observer.subscribe(() => undefined);
  const shown = () => observer.getCurrentResult().data?.pages.map(({ text }) => text);
  const more = () => whenIdle(queries, queryKey, () => observer.fetchNextPage({ cancelRefetch: false }));
  const refresh = () => whenIdle(queries, queryKey, () => queries.refetchQueries({ queryKey, exact: true }));
  const answer = async (at: number, text: string) => {
    await expect.poll(() => requests.length).toBeGreaterThan(at);
    requests[at]?.answer(text);
  };
  return { asked: requests, shown, more, refresh, answer };
}

test('a refresh waits for the next page that is being loaded, and then reads both', async () => {
  const { asked, shown, more, refresh, answer } = pagedList();
  await answer(0, 'first');
  const done = Promise.all([more(), refresh()]);
  await answer(1, 'second');
  await answer(2, 'first again');
  await answer(3, 'second again');
  await done;
  expect(shown()).toEqual(['first again', 'second again']);
  expect(asked.map(({ page }) => page)).toEqual([1, 2, 1, 2]);
});

test('the next page waits for a refresh, whose response is not lost', async () => {
  const { asked, shown, more, refresh, answer } = pagedList();
  await answer(0, 'first');
  const done = Promise.all([refresh(), more()]);
  await answer(1, 'first again');
  await answer(2, 'second');
  await done;
  expect(shown()).toEqual(['first again', 'second']);
  expect(asked.map(({ page }) => page)).toEqual([1, 1, 2]);
});
