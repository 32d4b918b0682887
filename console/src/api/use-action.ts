import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { type Foreseen, foresee } from './foresee.ts';
import { type AnswerOptions, addressOf } from './use-answer.ts';

/** A request that changes something. What was done is shown with a way to do it by hand. */
export interface Action {
  what: string;
  method: 'post' | 'put' | 'patch' | 'delete';
  path: `/api/${string}`;
  names?: Readonly<Record<string, string>>;
  body?: unknown;
  /** What is shown before the API has answered, and taken back when it refuses. */
  foreseen?: Foreseen;
}

type AnyCall = (path: string, init: object) => Promise<unknown>;

export function useAction<Result = unknown>() {
  const queries = useQueryClient();
  return useMutation<Result, Error, Action, (() => void) | undefined>({
    mutationFn: async ({ method, path, names, body }) =>
      (await (api[method] as unknown as AnyCall)(path, { params: { path: names }, body })) as Result,
    onMutate: async ({ foreseen }) => (foreseen ? await foresee(queries, foreseen) : undefined),
    onError: (_error, _action, takeBack) => takeBack?.(),
    // Everything that is shown may be different now.
    onSuccess: async () => await queries.invalidateQueries(),
  });
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export interface HandRequest {
  method?: string;
  address: string;
  body?: unknown;
  tenantId: string | null;
  /** One of the sandbox's people, who needs a token as whoever has signed in does. */
  as: string | null;
}

/** A command that does the same. It never holds a token: that is for whoever runs it to set. */
export function toCurl({ method = 'GET', address, body, tenantId, as }: HandRequest): string {
  const url = `${window.location.origin}${address}`;
  const parts = ['curl', ...(method === 'GET' ? [] : ['-X', method.toUpperCase()]), quoted(url)];
  if (tenantId !== null) parts.push('-H', quoted(`X-Tenant-Id: ${tenantId}`));
  if (as !== null || window.Clerk) parts.push('-H', '"Authorization: Bearer $TOKEN"');
  if (body !== undefined)
    parts.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)));
  return parts.join(' ');
}

export const addressOfAction = ({ path, names }: Action): string =>
  addressOf(path, names ? ({ path: names } satisfies AnswerOptions) : {});
