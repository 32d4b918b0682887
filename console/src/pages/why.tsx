import type { Answer } from '@botyard/client/client';
import { Link } from '@tanstack/react-router';
import { BookPlus, Wrench, X } from 'lucide-react';
import { useState } from 'react';
import { useMayChange, useSeesTenant } from '../api/acting.tsx';
import { useAgents } from '../api/use-agents.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { CallDetails } from '../parts/call-details.tsx';
import { State } from '../parts/controls.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, dollars, milliseconds } from '../parts/text.tsx';
import { Waterfall } from '../parts/waterfall.tsx';
import { CalledServer } from './tool-servers/called-server.tsx';

type Trace = Answer<'/api/context-traces/{traceId}'>;

/** The details of how one answer was produced. */
export function Why({ traceId }: { traceId: string }) {
  const trace = useAnswer('/api/context-traces/{traceId}', { path: { traceId } });
  return (
    <section aria-label="Why this answer" className="grid gap-4 p-4 md:p-5">
      <div className="flex items-center justify-between">
        <h2 className="text-lg font-semibold">Why this answer</h2>
        <Link
          to="."
          search={(now) => ({ ...now, trace: undefined })}
          className="grid size-9 place-items-center rounded-md text-soft hover:bg-hover hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
          <span className="sr-only">Close</span>
        </Link>
      </div>
      <Loaded answer={trace}>{(found) => <Reasons trace={found} />}</Loaded>
    </section>
  );
}

function Reasons({ trace }: { trace: Trace }) {
  const { outcome, failure, provider, model, key, context, inputTokens, outputTokens, cost } = trace;
  const passages = context?.citations ?? [];
  return (
    <>
      <p className="flex flex-wrap gap-2">
        <State word={outcome} /> <State word={trace.state} />
        {failure && <span className="text-bad">{failure}</span>}
      </p>
      <Agents trace={trace} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <Fact name="Model" value={model ? `${provider} ${model}` : 'none'} />
        <Fact name="Key" value={key.source} />
        <Fact
          name="Context"
          value={context ? `${context.messages} messages, ${context.tokens} tokens` : 'none'}
        />
        {passages.length === 0 && <Fact name="Documents" value="none" />}
        {trace.answer && <AnswerFacts answer={trace.answer} />}
        <Fact name="Tokens" value={`${count(inputTokens)} in, ${count(outputTokens)} out`} />
        <Fact name="Cost" value={cost.microUsd === null ? cost.state : dollars(cost.microUsd)} />
      </dl>
      {passages.length > 0 && <Passages citations={passages} />}
      <Waterfall label="Time spent" spans={spansOf(trace)} />
      <FixThis traceId={trace.traceId} agentId={trace.agentId} />
      {trace.toolCalls.map((call) => (
        <div key={`${call.name} ${call.arguments} ${call.durationMs}`} className="grid gap-1 text-sm">
          <p className="font-medium">
            {call.name} <State word={call.outcome} />
          </p>
          <CalledServer call={call} />
          <CallDetails call={call} />
        </div>
      ))}
    </>
  );
}

type Citation = NonNullable<Trace['context']>['citations'][number];

/** The documents that were read, each once, with the places of its passages. */
function Passages({ citations }: { citations: readonly Citation[] }) {
  const documents = Map.groupBy(citations, ({ sourceId }) => sourceId);
  return (
    <section aria-label="Documents" className="grid gap-2 text-sm">
      <h3 className="text-soft">Documents</h3>
      <ul className="grid gap-2">
        {[...documents].map(([sourceId, passages]) => (
          <li key={sourceId} className="grid gap-0.5">
            <span dir="auto" className="break-words font-medium">
              {passages[0]!.title}
              {passages.length > 1 && ` (${passages.length} passages)`}
            </span>
            {[...new Set(passages.map(placeOf))].map((place) => (
              <span key={place} dir="auto" className="break-words text-soft">
                {place}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

const placeOf = ({ position, heading }: Citation): string =>
  [position === undefined ? 'a passage' : `passage ${position + 1}`, heading].filter(Boolean).join(', ');

/** The two places where a wrong answer is mended, with the message that it was for. */
function FixThis({ traceId, agentId }: Pick<Trace, 'traceId' | 'agentId'>) {
  const mayChange = useMayChange();
  const seesTenant = useSeesTenant();
  if (!mayChange || !seesTenant || agentId === null) return null;
  const link =
    'inline-flex min-h-9 items-center gap-2 rounded-md border border-line px-3 py-1 text-sm font-medium hover:bg-hover';
  return (
    <div className="grid gap-2">
      <p className="text-sm text-soft">Was the answer wrong? Try the message again after a change.</p>
      <p className="flex flex-wrap gap-2">
        <Link to="/agents/$agentId" params={{ agentId }} search={{ trace: traceId }} className={link}>
          <Wrench aria-hidden="true" className="size-4" /> Change the agent
        </Link>
        <Link to="/agents/documents" search={{ trace: traceId, create: 'document' }} className={link}>
          <BookPlus aria-hidden="true" className="size-4" /> Add knowledge
        </Link>
      </p>
    </div>
  );
}

const endings = {
  complete: 'complete',
  cut: 'cut at its longest length',
  filtered: 'ended by a filter of the provider',
} as const;
const leavings = {
  nothing: undefined,
  context: 'the earlier messages, which the provider refuses',
  question: 'this message, which the provider refuses',
} as const;

/** How the model ended its answer, and what its provider refused. */
function AnswerFacts({ answer }: { answer: NonNullable<Trace['answer']> }) {
  const { ending, finishReason, thoughtUnits, leftOut, leavesOut, refusal } = answer;
  const left = leavings[leavesOut];
  return (
    <>
      <Fact name="Ending" value={finishReason ? `${endings[ending]} (${finishReason})` : endings[ending]} />
      {thoughtUnits > 0 && <Fact name="Thoughts" value={`${count(thoughtUnits)} characters, not sent`} />}
      {leftOut.length > 0 && <Fact name="Left out" value={leftOut.join(', ')} />}
      {left && <Fact name="Not asked again with" value={left} />}
      {refusal && <Fact name="Refusal" value={refusal} />}
    </>
  );
}

function Agents({ trace: { agentId, agentVersion, triage } }: { trace: Trace }) {
  const agents = useAgents();
  const seesTenant = useSeesTenant();
  const nameOf = (id: string | null) => {
    if (id === null) return 'No agent';
    return seesTenant ? agents.nameOf(id) : 'An agent';
  };
  return (
    <div className="grid gap-1 text-sm">
      <p>
        <strong>{nameOf(agentId)}</strong> answered{triage?.rule && `, chosen by the rule “${triage.rule}”`}.
      </p>
      {agentId !== null && agentVersion !== null && <AnsweringVersion id={agentId} version={agentVersion} />}
      {triage && triage.candidates.length > 0 && (
        <ul className="grid gap-1">
          {triage.candidates.map(({ agentId: id, score, reasons }) => (
            <li key={id}>
              {nameOf(id)}: <span className="tabular-nums">{score.toFixed(2)}</span>{' '}
              <span className="text-soft">{reasons.join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The version of the agent that answered, with its instructions for admins. */
function AnsweringVersion({ id, version }: { id: string; version: number }) {
  const [isOpen, setOpen] = useState(false);
  const mayChange = useMayChange();
  const seesVersions = useSeesTenant() && mayChange;
  const versions = useList('/api/definitions/agents/{id}/versions', {
    path: { id },
    query: { until: version, limit: 1 },
    enabled: seesVersions && isOpen,
  });
  if (!seesVersions) return <p className="text-soft">Version {version}</p>;
  return (
    <>
      <p>
        <Link to="/agents/$agentId" params={{ agentId: id }} search={{ version }} className="underline">
          Version {version} and its changes
        </Link>
      </p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Instructions of version {version}</summary>
        {isOpen && (
          <Loaded answer={versions}>
            {([newest]) => (
              <p
                dir="auto"
                className="mt-1 max-h-80 overflow-auto rounded-md border border-line bg-sunk p-3 [overflow-wrap:anywhere] whitespace-pre-wrap"
              >
                {newest?.version === version
                  ? newest.definition.instructions
                  : 'This version is not kept any longer.'}
              </p>
            )}
          </Loaded>
        )}
      </details>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="break-words">{value}</dd>
    </>
  );
}

/** Returns the steps of an answer as consecutive spans, in the order in which the worker runs them. */
function spansOf({ timing, key, toolCalls }: Trace) {
  const sent =
    timing.deliveredAt === null ? 0 : Date.parse(timing.deliveredAt) - Date.parse(timing.answeredAt);
  const steps = [
    { name: 'queued', lasts: timing.waitedMs ?? 0 },
    ...key.attempts.map((attempt) => ({ name: `model, ${attempt.outcome}`, lasts: attempt.durationMs })),
    ...toolCalls.map((call) => ({ name: `tool ${call.name}`, lasts: call.durationMs })),
    { name: 'sent', lasts: Math.max(0, sent) },
  ];
  let begins = 0;
  return steps.map((step) => {
    const span = { ...step, begins, told: milliseconds(step.lasts) };
    begins += step.lasts;
    return span;
  });
}
