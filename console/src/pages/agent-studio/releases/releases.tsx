import { useMembers } from '../../../api/use-members.ts';
import { Panel, State } from '../../../parts/controls.tsx';
import { ShowMore } from '../../../parts/show-more.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { count, dollars, duration, Time } from '../../../parts/text.tsx';
import { useFocusPassedOn } from '../../../parts/use-focus-passed-on.ts';
import { EndRelease } from './end-release.tsx';
import { changeWords, stepWords } from './release-words.ts';
import { RuleEvidence } from './rule-evidence.tsx';
import { ShadowAnswers } from './shadow-answers.tsx';
import { type ReleasableDraft, StartRelease } from './start-release.tsx';
import { type Release, useReleases } from './use-releases.ts';

/** The running release of an agent, or the button that begins one, and the earlier ones. */
export function Releases({ agentId, draft }: { agentId: string; draft: ReleasableDraft }) {
  const { releases, running } = useReleases(agentId);
  return (
    <Panel title="Release to a share">
      <Loaded answer={releases}>
        {(list) => (
          <div className="grid gap-4">
            {running ? <RunningRelease release={running} /> : <NoRelease agentId={agentId} draft={draft} />}
            {list
              .filter((release) => release !== running)
              .map((release, index) => (
                <EndedRelease key={release.releaseId} release={release} isOpen={!running && index === 0} />
              ))}
          </div>
        )}
      </Loaded>
      <ShowMore list={releases}>Show older releases</ShowMore>
    </Panel>
  );
}

function NoRelease({ agentId, draft }: { agentId: string; draft: ReleasableDraft }) {
  const part = useFocusPassedOn<HTMLDivElement>();
  return (
    <div ref={part} className="grid justify-items-start gap-3">
      <p className="text-sm text-soft">
        Let the draft or another version answer a share of the new chats. It is compared with what is live,
        and withdrawn by itself if it does worse.
      </p>
      <StartRelease agentId={agentId} draft={draft} />
    </div>
  );
}

function RunningRelease({ release }: { release: Release }) {
  const part = useFocusPassedOn<HTMLElement>();
  return (
    <section ref={part} aria-label={`Release of version ${release.version}`} className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex flex-wrap items-center gap-2">
          <State word="running" />
          <span className="font-medium">
            Version {release.version} answers {release.share} % of new chats
            {release.shadow > 0 && `, and ${release.shadow} % of the other messages unsent`}.
          </span>
        </p>
        <div className="flex flex-wrap gap-2">
          <EndRelease release={release} how="withdraw" />
          <EndRelease release={release} how="promote" />
        </div>
      </div>
      <Steps release={release} />
      <Facts release={release} />
    </section>
  );
}

function Steps({ release: { steps, share } }: { release: Release }) {
  const later = steps.filter((step) => step.share > share);
  if (later.length === 0) return null;
  return <p className="text-sm text-soft">Next: {later.map(stepWords).join(', then ')}.</p>;
}

function EndedRelease({ release, isOpen }: { release: Release; isOpen: boolean }) {
  const { version, state, reason, endedAt } = release;
  return (
    <section aria-label={`Release of version ${version}, ${state}`} className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <State word={state} />
        <span className="font-medium">Version {version}</span>
        <Time at={endedAt} />
      </p>
      {reason && (
        <p dir="auto" className="text-sm break-words">
          {reason}
        </p>
      )}
      <details className="text-sm" open={isOpen}>
        <summary className="cursor-pointer">What was compared, and each step</summary>
        <div className="mt-3 grid gap-4">
          <Facts release={release} />
        </div>
      </details>
    </section>
  );
}

interface AverageProps {
  name: string;
  of: Release['averages'];
  shown: (side: { costMicroUsd: number | null; durationMs: number }) => string;
}

function Average({ name, of: { candidate, live }, shown }: AverageProps) {
  const words = ({ costMicroUsd, durationMs }: Release['averages']['live']) =>
    durationMs === null ? '–' : shown({ costMicroUsd, durationMs });
  return (
    <div className="flex flex-wrap gap-x-2">
      <dt className="text-soft">{name}</dt>
      <dd className="tabular-nums">
        {words(candidate)} with the candidate, {words(live)} with the live version
      </dd>
    </div>
  );
}

/** The numbers of both sides, each rule's evidence, and the steps. */
function Facts({ release }: { release: Release }) {
  const { sessions, averages, evidence, changes, shadow } = release;
  const { nameOf } = useMembers();
  return (
    <>
      <p className="text-sm">
        Chats so far: <span className="tabular-nums">{count(sessions.candidate)}</span> with the candidate,{' '}
        <span className="tabular-nums">{count(sessions.live)}</span> with the live version. A chat is compared
        once its outcome can't change any more.
      </p>
      <dl className="grid gap-1 text-sm">
        <Average name="Cost of a chat" of={averages} shown={({ costMicroUsd }) => dollars(costMicroUsd)} />
        <Average name="Answering of a chat" of={averages} shown={({ durationMs }) => duration(durationMs)} />
      </dl>
      <div className="grid gap-3 sm:grid-cols-2">
        {evidence.map((rule) => (
          <RuleEvidence key={`${rule.outcome} ${rule.worse}`} rule={rule} release={release} />
        ))}
      </div>
      {shadow > 0 && <ShadowAnswers release={release} />}
      <ol aria-label="Steps" className="grid gap-1 text-sm">
        {changes.map((change) => (
          <li key={`${change.kind} ${change.createdAt}`} className="flex flex-wrap gap-x-2">
            <Time at={change.createdAt} />
            <span>{changeWords(change)}</span>
            <span dir="auto" className="min-w-0 break-words text-soft">
              {change.userId === null ? 'by itself' : `by ${nameOf(change.userId, 'a former member')}`}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
