import { ApiError } from '@botyard/client/api-error';
import { CircleAlert } from 'lucide-react';
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

/** An error in words, and a button to retry. Its status and request ID, which support asks for, are folded. */
export function Fault({ error, retry }: { error: Error; retry?: () => void }) {
  const answer = error instanceof ApiError ? error : undefined;
  return (
    <div
      role="alert"
      className="grid justify-items-start gap-2 rounded-lg border border-bad bg-bad-tint p-3 text-sm"
    >
      <p className="flex items-start gap-2 font-medium break-words text-bad">
        <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <span dir="auto" className="min-w-0">
          {error.message}
        </span>
      </p>
      {answer && answer.issues.length > 0 && (
        <ul className="list-disc pl-9">
          {answer.issues.map((issue) => (
            <li key={`${String(issue.path)} ${issue.message}`}>
              {String(issue.path ?? '')} {issue.message}
            </li>
          ))}
        </ul>
      )}
      {answer && (
        <details className="pl-6 text-xs text-soft">
          <summary className="cursor-pointer">Details</summary>
          <p>
            {answer.status}
            {answer.requestId && ` · request ${answer.requestId}`}
          </p>
        </details>
      )}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

interface EmptyProps {
  title: string;
  /** The button for what to do next. */
  action?: ReactNode;
  children?: ReactNode;
}

/** The empty state of a list. It says what the list is for and what to do next. */
export function Empty({ title, action, children }: EmptyProps) {
  return (
    <div className="grid justify-items-center gap-2 rounded-xl border border-dashed border-line px-6 py-10 text-center">
      <p className="text-lg font-semibold">{title}</p>
      <div className="text-soft">{children}</div>
      {action}
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
