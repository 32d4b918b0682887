import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, apiForFile } from './api.ts';
import { type Foreseen, foresee } from './foresee.ts';
import { type AnswerOptions, addressOf } from './use-answer.ts';

/** A request that changes something. What was done is shown with a way to do it by hand. */
export interface Action {
  what: string;
  method: 'post' | 'put' | 'patch' | 'delete';
  path: `/api/${string}`;
  names?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** Sent in place of a body, as it is. */
  file?: Sending;
  /** The change shown before the API answers, and taken back when it refuses. */
  foreseen?: Foreseen;
}

interface Sending {
  content: File;
  /** The media type for the API. */
  mediaType: string;
  /** Called with how much of it has gone out, from 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

type AnyCall = (path: string, init: object) => Promise<unknown>;

export function useAction<Result = unknown>() {
  const queries = useQueryClient();
  return useMutation<Result, Error, Action, (() => void) | undefined>({
    mutationFn: async ({ method, path, names, query, body, file }) => {
      const client = file ? apiForFile(file.onProgress) : api;
      const init = { params: { path: names, query }, ...(file ? contentOf(file) : { body }) };
      return (await (client[method] as unknown as AnyCall)(path, init)) as Result;
    },
    onMutate: async ({ foreseen }) => (foreseen ? await foresee(queries, foreseen) : undefined),
    onError: (_error, _action, takeBack) => takeBack?.(),
    // Everything that is shown may be different now.
    onSuccess: async () => await queries.invalidateQueries(),
  });
}

const contentOf = ({ content, mediaType, signal }: Sending) => ({
  body: content,
  bodySerializer: (file: File) => file,
  headers: { 'content-type': mediaType },
  signal,
});

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface HandRequest {
  method?: string;
  address: string;
  body?: unknown;
  file?: Pick<Sending, 'content' | 'mediaType'> | undefined;
  tenantId: string | null;
  /** One of the sandbox's people, who needs a token as whoever has signed in does. */
  as: string | null;
}

/** A command that does the same. It never holds a token: that is for whoever runs it to set. */
export function toCurl({ method = 'GET', address, body, file, tenantId, as }: HandRequest): string {
  const url = `${window.location.origin}${address}`;
  const parts = ['curl', ...(method === 'GET' ? [] : ['-X', method.toUpperCase()]), quoted(url)];
  if (tenantId !== null) parts.push('-H', quoted(`X-Tenant-Id: ${tenantId}`));
  if (as !== null || window.Clerk) parts.push('-H', '"Authorization: Bearer $TOKEN"');
  if (body !== undefined)
    parts.push('-H', quoted('Content-Type: application/json'), '-d', quoted(JSON.stringify(body)));
  if (file)
    parts.push(
      ...['-H', quoted(`Content-Type: ${file.mediaType}`), '--data-binary', quoted(`@${file.content.name}`)],
    );
  return parts.join(' ');
}

export const addressOfAction = ({ path, names = {}, query = {} }: Action): string =>
  addressOf(path, { path: names, query } satisfies AnswerOptions);
