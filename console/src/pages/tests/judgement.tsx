import type { Answer } from '@botyard/client/client';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useMayChange } from '../../api/acting.tsx';
import { putAction, useAction } from '../../api/use-action.ts';
import { Button, State } from '../../parts/controls.tsx';
import { dollars } from '../../parts/text.tsx';
import { rateInWords } from './run-words.ts';

type CaseAnswer = Answer<'/api/evaluations/runs/{runId}/results/{caseId}'>['candidate'];
type Judgement = NonNullable<CaseAnswer['judgement']>;
export type Side = 'candidate' | 'baseline';

const wordOf = { passed: 'passed', failed: 'failed', none: 'no verdict' } as const;

/** The verdict of the judge on an answer, with each of its readings. */
export function JudgementOfAnswer({ judgement }: { judgement: Judgement }) {
  const { verdict, repeats, passRate, costMicroUsd } = judgement;
  return (
    <details>
      <summary className="cursor-pointer">
        Judge <State word={wordOf[verdict]} />
      </summary>
      <ul aria-label="Readings of the judge" className="mt-2 grid gap-2">
        {repeats.map((repeat, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stored list of readings, which may be the same.
          <li key={place}>
            <State word={wordOf[repeat.verdict]} /> <bdi>{repeat.reason}</bdi>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-soft tabular-nums">
        {rateInWords(passRate)}. Cost: {dollars(costMicroUsd)}
      </p>
    </details>
  );
}

interface MarkProps {
  runId: string;
  caseId: string;
  side: Side;
  /** How people call the side. */
  name: string;
  mark: CaseAnswer['mark'];
}

const marks = [
  { mark: 'good', title: 'Good', key: 'g', icon: ThumbsUp },
  { mark: 'bad', title: 'Bad', key: 'b', icon: ThumbsDown },
] as const;

/**
 * Marks an answer as good or bad, by the rubric. The keys are those of the candidate. People mark faster than a page
 * is refreshed: each mark counts, and the last one is shown at once.
 */
export function MarkAnswer({ runId, caseId, side, name, mark }: MarkProps) {
  const mayChange = useMayChange();
  const action = useAction({ queue: 'marks' });
  // A second key can come before the first one is rendered.
  const wanted = useRef<typeof mark>(undefined);
  const shown = action.isPending ? (action.variables.body as { mark: typeof mark }).mark : mark;
  const choose = (chosen: 'good' | 'bad') => {
    const next = chosen === (wanted.current === undefined ? mark : wanted.current) ? null : chosen;
    wanted.current = next;
    const request = putAction(
      next === null ? 'Mark removed' : `Marked as ${next}`,
      '/api/evaluations/runs/{runId}/results/{caseId}/mark',
      { names: { runId, caseId }, body: { side, mark: next } },
    );
    // Called for the last mark only.
    action.mutate(request, { onSettled: () => (wanted.current = undefined) });
  };
  const hasKeys = side === 'candidate' && mayChange;
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
    if (document.querySelector('[role=dialog]')) return;
    const pressed = marks.find(({ key }) => key === event.key);
    if (!pressed) return;
    event.preventDefault();
    choose(pressed.mark);
  });
  // The keys work as soon as the buttons are seen.
  useLayoutEffect(() => {
    if (!hasKeys) return;
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [hasKeys]);
  if (!mayChange) return shown === null ? null : <p>Marked as {shown} by a person.</p>;
  return (
    <fieldset className="flex flex-wrap items-center gap-2">
      <legend className="sr-only">By the rubric, the answer of {name} is</legend>
      <span aria-hidden="true">By the rubric:</span>
      {marks.map((one) => (
        <Button
          key={one.mark}
          icon={one.icon}
          look={shown === one.mark ? 'main' : 'plain'}
          aria-pressed={shown === one.mark}
          aria-keyshortcuts={hasKeys ? one.key : undefined}
          title={hasKeys ? `Key ${one.key}` : undefined}
          onClick={() => choose(one.mark)}
        >
          {one.title}
        </Button>
      ))}
    </fieldset>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
