import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { useList } from '../../../api/use-answer.ts';
import { State } from '../../../parts/controls.tsx';
import { ShowMore } from '../../../parts/show-more.tsx';
import { Loaded } from '../../../parts/states.tsx';
import type { Release } from './use-releases.ts';

type Shadow = Schema<'ShadowAnswer'>;

const everyMs = 10_000;

/** The answers of the candidate beside those that were sent. */
export function ShadowAnswers({ release: { agentId, releaseId, state } }: { release: Release }) {
  const [isOpen, setOpen] = useState(false);
  const shadows = useList('/api/definitions/agents/{id}/releases/{releaseId}/shadow', {
    path: { id: agentId, releaseId },
    query: { limit: 20 },
    enabled: isOpen,
    ...(state === 'running' ? { everyMs } : {}),
  });
  return (
    <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer">Answers of the candidate that were not sent</summary>
      {isOpen && (
        <div className="mt-3 grid gap-3">
          <Loaded answer={shadows}>
            {(list) =>
              list.length === 0 ? (
                <p className="text-soft">
                  None yet. The candidate answers a few seconds after the live version.
                </p>
              ) : (
                <ol aria-label="Answers that were not sent" className="grid gap-3">
                  {list.map((shadow) => (
                    <ShadowAnswer key={shadow.turnId} shadow={shadow} />
                  ))}
                </ol>
              )
            }
          </Loaded>
          <ShowMore list={shadows} />
        </div>
      )}
    </details>
  );
}

const verdicts = { same: 'the same', different: 'different', not_comparable: 'not comparable' } as const;
const differences: Readonly<Record<Shadow['differences'][number], string>> = {
  text: 'other words',
  calls: 'other calls of tools',
  approvals: 'other approvals',
  handed_over: 'only one hands over',
  failed: 'only one has an answer',
};

function ShadowAnswer({ shadow }: { shadow: Shadow }) {
  const { verdict, question, liveText, candidateText, calls } = shadow;
  return (
    <li className="grid gap-2 rounded-lg border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <State word={verdicts[verdict]} />
        <span className="text-soft">{shadow.differences.map((one) => differences[one]).join(', ')}</span>
      </p>
      <p dir="auto" className="font-medium [overflow-wrap:anywhere] whitespace-pre-wrap">
        {question}
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Side title="Live" text={liveText} />
        <Side title="Candidate" text={candidateText ?? 'No answer.'} />
      </div>
      {calls.length > 0 && (
        <ul className="grid gap-1 text-soft">
          {calls.map(({ name, arguments: input, isComparable }) => (
            <li key={`${name} ${JSON.stringify(input)}`} className="[overflow-wrap:anywhere]">
              {name} {JSON.stringify(input)}
              {!isComparable && ': the live version has no such call'}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Side({ title, text }: { title: string; text: string }) {
  return (
    <div className="min-w-0">
      <p className="text-soft">{title}</p>
      <p dir="auto" className="max-h-60 overflow-auto [overflow-wrap:anywhere] whitespace-pre-wrap">
        {text}
      </p>
    </div>
  );
}
