import { type MutationCache, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { addressOfAction, type SentAction, toCurl } from '../api/use-action.ts';
import { Button } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Fault } from '../parts/states.tsx';

/**
 * Shows the result of the last action, and of the actions that ran at the same time. Each request can be copied as a
 * curl command. The next action or the user closes the results.
 */
export function Toasts() {
  const cache = useQueryClient().getMutationCache();
  const [closed, close] = useState<ReadonlySet<number>>(() => settledIn(cache));
  useEffect(
    () =>
      cache.subscribe(({ type }) => {
        if (type === 'added') close(settledIn(cache));
      }),
    [cache],
  );
  const sent = useMutationState({
    select: ({ mutationId: id, state: { variables, status, error } }) => ({
      id,
      status,
      error,
      action: variables as SentAction | undefined,
    }),
  });
  const results = sent.flatMap(({ id, action, status, error }) =>
    action && isSettled(status) && !closed.has(id) ? [{ id, action, error }] : [],
  );
  const done = results.filter(({ error }) => !error).slice(-1);
  const onClose = (id: number) => close(new Set([...closed, id]));
  return (
    <div className="fixed right-4 bottom-4 left-4 z-30 ml-auto grid max-w-md gap-2">
      {results.map(
        ({ error, ...one }) => error && <Toast key={one.id} {...one} error={error} onClose={onClose} />,
      )}
      {/* Screen readers announce only what appears in an element that was there before. */}
      <div role="status">
        {done.map(({ id, action }) => (
          <Toast key={id} id={id} action={action} error={null} onClose={onClose} />
        ))}
      </div>
    </div>
  );
}

const isSettled = (status: string): boolean => status === 'success' || status === 'error';

const settledIn = (cache: MutationCache): ReadonlySet<number> =>
  new Set(cache.getAll().flatMap(({ mutationId, state }) => (isSettled(state.status) ? [mutationId] : [])));

interface ToastProps {
  id: number;
  action: SentAction;
  error: Error | null;
  onClose: (id: number) => void;
}

function Toast({ id, action, error, onClose }: ToastProps) {
  const isSecret = action.path.startsWith('/api/keys') || action.path.endsWith('/integrations');
  const curl = toCurl({
    method: action.method,
    address: addressOfAction(action),
    body: isSecret ? undefined : action.body,
    file: action.file,
    ...action.acting,
  });
  return (
    <section
      aria-label="Last action"
      className="grid gap-2 rounded-lg border border-line bg-panel p-3 shadow-xl"
    >
      {error ? <Fault error={error} /> : <p>{action.what}.</p>}
      <div className="flex gap-2">
        <CopyButton text={curl}>Copy as curl</CopyButton>
        <Button onClick={() => onClose(id)}>Close</Button>
      </div>
    </section>
  );
}
