import { ApiError } from '@botyard/client/api-error';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type Acting, useActing } from './acting.tsx';
import { addressOf } from './address.ts';
import { api, apiForFile } from './api.ts';
import { type Foreseen, foresee } from './foresee.ts';
import type { AnswerOptions } from './use-answer.ts';

/** A request that changes something. A toast shows its result and offers the same request as a curl command. */
export interface Action {
  /** The text of the toast when the request has succeeded, for example "Bot created". */
  what: string;
  method: 'post' | 'put' | 'delete';
  path: `/api/${string}`;
  names?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** A file that is sent instead of a JSON body. */
  file?: Sending;
  /** The change to show before the API responds. It is rolled back if the request fails. */
  foreseen?: Foreseen;
  /** Called once the request has succeeded, before any response is refetched. */
  onDone?: (() => unknown) | undefined;
}

type Names = NonNullable<Action['names']>;
/** The parts of a request, and what the page makes of it. */
type ActionParts = Omit<Action, 'what' | 'method' | 'path'>;

/** Creates something, or does what has a path of its own. */
export const postAction = (what: string, path: Action['path'], parts: ActionParts = {}): Action => ({
  what,
  method: 'post',
  path,
  ...parts,
});

/** Changes what the path names. */
export const putAction = (what: string, path: Action['path'], parts: ActionParts): Action => ({
  what,
  method: 'put',
  path,
  ...parts,
});

/** Deletes what the path names. */
export const deleteAction = (what: string, path: Action['path'], names: Names): Action => ({
  what,
  method: 'delete',
  path,
  names,
});

/** An action with the user and the tenant that it was sent for. */
export interface SentAction extends Action {
  acting: Acting;
  isErrorShown: boolean;
}

interface Sending {
  content: File;
  /** The media type that the API receives. */
  mediaType: string;
  /** Called with the sent share of the file, from 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
}

type AnyCall = (path: string, init: object) => Promise<unknown>;

interface UseActionOptions {
  /** For actions of which every click counts: those of all components with this queue are sent one after another. */
  queue?: string;
  /** True if the form of the action shows its error, so that the toast doesn't. */
  isErrorShown?: boolean;
}

/** Sends one action at a time: a second click before the page has reacted to the first sends nothing. */
export function useAction<Result = unknown>({ queue, isErrorShown = false }: UseActionOptions = {}) {
  const queries = useQueryClient();
  const acting = useActing();
  const isSending = useRef(false);
  const sending = useMutation<Result, Error, SentAction, (() => void) | undefined>({
    ...(queue !== undefined && { scope: { id: queue } }),
    mutationFn: async ({ method, path, names, query, body, file }) => {
      const client = file ? apiForFile(file.onProgress) : api;
      const init = { params: { path: names, query }, ...(file ? contentOf(file) : { body }) };
      return (await (client[method] as unknown as AnyCall)(path, init)) as Result;
    },
    onMutate: async ({ foreseen }) => (foreseen ? await foresee(queries, foreseen) : undefined),
    onError: (error, _action, takeBack) => {
      takeBack?.();
      // The page shows something that has changed or is gone.
      if (error instanceof ApiError && (error.status === 404 || error.status === 409))
        void queries.invalidateQueries();
    },
    onSuccess: async (_result, { onDone }) => {
      await onDone?.();
      // An action can affect any cached response.
      await queries.invalidateQueries();
    },
    onSettled: () => {
      isSending.current = false;
    },
  });
  type Options = Parameters<typeof sending.mutateAsync>[1];
  const mutateAsync = async (action: Action, options?: Options): Promise<Result> => {
    if (isSending.current && queue === undefined) throw new Error('The action is being sent already.');
    isSending.current = true;
    return await sending.mutateAsync({ ...action, acting, isErrorShown }, options);
  };
  const mutate = (action: Action, options?: Options): void =>
    void mutateAsync(action, options).catch(() => undefined);
  return { ...sending, mutate, mutateAsync };
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
  /** One of the sandbox's people. Like a signed-in user, they need a token. */
  as: string | null;
}

/** Returns the curl command for a request. It never contains a token: the user sets $TOKEN. */
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
