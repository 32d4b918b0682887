import { type MutationCache, useMutationState, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, X } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { addressOfAction, type SentAction, toCurl } from '../api/use-action.ts';
import { IconButton } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Fault } from '../parts/states.tsx';

/**
 * Shows the result of the last action for some seconds, and the errors of it and of the actions that ran at the same
 * time until the next action, unless their forms show them. Each request can be copied as a curl command. Everything
 * beneath can still be clicked.
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
    <div className="pointer-events-none fixed inset-x-3 top-36 z-30 mx-auto grid max-w-md gap-2 md:top-auto md:right-auto md:bottom-16 md:w-md">
      {results.map(
        ({ error, ...one }) =>
          error &&
          !one.action.isErrorShown && <Toast key={one.id} {...one} error={error} onClose={onClose} />,
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

/** How long a result is shown. An error stays until somebody closes it. */
const shownMs = 4000;

function Toast({ id, action, error, onClose }: ToastProps) {
  const [isRead, read] = useState(false);
  const close = useEffectEvent(() => onClose(id));
  useEffect(() => {
    if (error || isRead) return;
    const timer = setTimeout(close, shownMs);
    return () => clearTimeout(timer);
  }, [error, isRead]);
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
      onFocus={() => read(true)}
      onBlur={() => read(false)}
      className="flex animate-rise items-center gap-3 rounded-xl border border-line bg-panel py-2 pr-2 pl-4 shadow-raised [&_:is(button,summary)]:pointer-events-auto"
    >
      {!error && <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-good" />}
      <div className="min-w-0 flex-1">{error ? <Fault error={error} /> : <p>{action.what}.</p>}</div>
      <CopyButton text={curl}>Copy as curl</CopyButton>
      <IconButton icon={X} label="Close" onClick={() => onClose(id)} />
    </section>
  );
}
