import { useMutationState } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { type Action, addressOfAction, toCurl } from '../api/use-action.ts';
import { Button } from '../parts/controls.tsx';
import { Fault } from '../parts/states.tsx';

/** Shows the result of the last action, and copies its request as a curl command. */
export function Toasts() {
  const { as, tenantId } = useActing();
  const [closedAt, close] = useState(0);
  const last = useMutationState({
    select: ({ state }) => ({
      action: state.variables as Action,
      status: state.status,
      error: state.error,
      at: state.submittedAt,
    }),
  }).at(-1);
  if (!last?.action || last.at <= closedAt || last.status === 'pending') return null;
  const { action, error } = last;
  const isSecret = action.path.startsWith('/api/keys') || action.path.endsWith('/integrations');
  const curl = toCurl({
    method: action.method,
    address: addressOfAction(action),
    body: isSecret ? undefined : action.body,
    file: action.file,
    tenantId,
    as,
  });
  return (
    <section
      aria-label="Last action"
      className="fixed right-4 bottom-4 left-4 z-30 ml-auto grid max-w-md gap-2 rounded-lg border border-line bg-panel p-3 shadow-xl"
    >
      {error ? <Fault error={error} /> : <p role="status">{action.what}.</p>}
      <div className="flex gap-2">
        <Button onClick={() => void navigator.clipboard.writeText(curl)}>Copy as curl</Button>
        <Button onClick={() => close(last.at)}>Close</Button>
      </div>
    </section>
  );
}
