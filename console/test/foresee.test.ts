import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { applyChange, foresee } from '../src/api/foresee.ts';

const chat = (chatId: string) => ({ chatId, handling: 'bot' });
const pagesOf = (...items: object[]) => ({ pages: [{ items, next: null }], pageParams: [null] });
const keys = {
  one: ['anna', 'Demo', '/api/chats/a'],
  list: ['anna', 'Demo', '/api/chats?sort=-lastMessageAt', 'list'],
  messages: ['anna', 'Demo', '/api/chats/a/messages', 'list'],
} as const;

/** The cached responses, and a change of one chat. */
function withAnswers() {
  const queries = new QueryClient();
  queries.setQueryData(keys.one, chat('a'));
  queries.setQueryData(keys.list, pagesOf(chat('b'), chat('a')));
  queries.setQueryData(keys.messages, pagesOf({ chatId: 'a', text: 'hello' }));
  const at = ['/api/chats/a', '/api/chats'];
  const foreseen = { at, only: { chatId: 'a' }, change: { handling: 'person' } };
  return { queries, foreseen };
}

test('an expected change is shown in every response with the object, and in no other', async () => {
  const { queries, foreseen } = withAnswers();
  await foresee(queries, foreseen);
  const changed = { chatId: 'a', handling: 'person' };
  expect(queries.getQueryData(keys.one)).toEqual(changed);
  expect(queries.getQueryData(keys.list)).toEqual(pagesOf(chat('b'), changed));
  expect(queries.getQueryData(keys.messages)).toEqual(pagesOf({ chatId: 'a', text: 'hello' }));
});

test('a rolled back change restores the earlier data and refetches it', async () => {
  const { queries, foreseen } = withAnswers();
  const takeBack = await foresee(queries, foreseen);
  takeBack();
  expect(queries.getQueryData(keys.one)).toEqual(chat('a'));
  expect(queries.getQueryData(keys.list)).toEqual(pagesOf(chat('b'), chat('a')));
  const isStale = (queryKey: readonly string[]) => queries.getQueryState(queryKey)?.isInvalidated;
  expect([isStale(keys.one), isStale(keys.list), isStale(keys.messages)]).toEqual([true, true, false]);
});

test('a response in flight does not show the old state', async () => {
  const { queries, foreseen } = withAnswers();
  const late = Promise.withResolvers<object>();
  const queryFn = () => late.promise;
  const reading = queries.fetchQuery({ queryKey: keys.one, queryFn }).catch(() => undefined);
  await foresee(queries, foreseen);
  late.resolve(chat('a'));
  await reading;
  expect(queries.getQueryData(keys.one)).toEqual({ chatId: 'a', handling: 'person' });
});

test('a change that was made is shown at once, and only requests that may predate it are repeated', async () => {
  const { queries, foreseen } = withAnswers();
  const answer = Promise.withResolvers<object>();
  void queries.fetchQuery({ queryKey: keys.one, queryFn: () => answer.promise }).catch(() => undefined);
  applyChange(queries, foreseen);
  const changed = { chatId: 'a', handling: 'person' };
  expect(queries.getQueryData(keys.list)).toEqual(pagesOf(chat('b'), changed));
  expect(queries.getQueryState(keys.one)?.isInvalidated).toBe(true);
  expect(queries.getQueryState(keys.list)?.isInvalidated).toBe(false);
  answer.resolve(changed);
});
