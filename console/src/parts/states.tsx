import { ApiError } from '@botyard/client/api-error';
import type { ReactNode } from 'react';
import { Button } from './controls.tsx';

export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="grid gap-3">
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line) => (
        <div key={line} className="h-6 animate-pulse rounded bg-hover" />
      ))}
    </div>
  );
}

/** An error, with its status and request ID for support, and a button to retry. */
export function Fault({ error, retry }: { error: Error; retry?: () => void }) {
  const isAnswer = error instanceof ApiError;
  return (
    <div role="alert" className="grid justify-items-start gap-2 rounded-lg border border-bad bg-panel p-4">
      <p className="font-medium text-bad">{error.message}</p>
      {isAnswer && (
        <p className="text-sm text-soft">
          {error.status}
          {error.requestId && ` · request ${error.requestId}`}
        </p>
      )}
      {isAnswer && error.issues.length > 0 && (
        <ul className="list-disc pl-5 text-sm">
          {error.issues.map((issue) => (
            <li key={`${String(issue.path)} ${issue.message}`}>
              {String(issue.path ?? '')} {issue.message}
            </li>
          ))}
        </ul>
      )}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** The empty state of a list. It says what the list is for and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="grid justify-items-start gap-2 rounded-lg border border-dashed border-line p-6">
      <p className="font-medium">{title}</p>
      <div className="text-soft">{children}</div>
    </div>
  );
}

/** The page of a feature that the operator hasn't switched on. */
export function SwitchedOff({ what }: { what: string }) {
  return (
    <Empty title="Not available in this installation">
      {what} are switched off. An operator of this installation can switch them on.
    </Empty>
  );
}

interface LoadedProps<Value> {
  answer: { data: Value | undefined; error: Error | null; refetch: () => unknown };
  children: (value: Value) => ReactNode;
}

/**
 * Shows a response, its error or a placeholder. Shows the previous data while a refresh is in flight, and after a
 * refresh has failed, which a note then says.
 */
export function Loaded<Value>({ answer, children }: LoadedProps<Value>) {
  if (answer.data !== undefined)
    return (
      <>
        {answer.error && (
          <div role="status" className="flex flex-wrap items-center gap-3 text-sm text-warn">
            <p>This may be out of date: {answer.error.message}</p>
            <Button onClick={() => void answer.refetch()}>Refresh</Button>
          </div>
        )}
        {children(answer.data)}
      </>
    );
  if (answer.error) return <Fault error={answer.error} retry={() => void answer.refetch()} />;
  return <Skeleton />;
}
