import { count } from '../../../parts/text.tsx';
import type { Outcome, Release, RuleEvidence } from './use-releases.ts';

type Rule = Release['rules'][number];

/** The chats that a rule counts, after "40 of 200 chats". */
const counted: Readonly<Record<Outcome, string>> = {
  handed_over: 'were handed over to a person',
  failed: 'had an apology in place of an answer',
  repeated: 'had the same question twice',
  given_up: 'ended with an apology',
  stopped: 'were stopped by the person',
  resolved: 'were resolved',
  rated_up: 'were rated as good',
  rated_down: 'were rated as bad',
};

interface OfferedRule extends Rule {
  words: string;
  isChosenAtFirst?: boolean;
}

/** The rules that a release can begin with, as the end of "Withdraw the candidate when its chats …". */
export const offeredRules: readonly OfferedRule[] = [
  {
    outcome: 'handed_over',
    worse: 'more',
    words: 'are handed over to a person more often',
    isChosenAtFirst: true,
  },
  {
    outcome: 'failed',
    worse: 'more',
    words: 'have an apology in place of an answer more often',
    isChosenAtFirst: true,
  },
  { outcome: 'repeated', worse: 'more', words: 'have the same question twice more often' },
  { outcome: 'stopped', worse: 'more', words: 'are stopped by the person more often' },
  { outcome: 'given_up', worse: 'more', words: 'end with an apology more often' },
  { outcome: 'resolved', worse: 'less', words: 'are resolved less often' },
  { outcome: 'rated_down', worse: 'more', words: 'are rated as bad more often' },
];

export const percent = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;

/** How many chats of a side had the outcome. `worse` counts those that speak against it. */
export const withOutcome = ({ worse }: Rule, side: RuleEvidence['live']): number =>
  worse === 'more' ? side.worse : side.sessions - side.worse;

export function sideWords(rule: RuleEvidence, side: RuleEvidence['live']): string {
  const chats = withOutcome(rule, side);
  return `${count(chats)} of ${count(side.sessions)} (${percent(chats, side.sessions)})`;
}

export const titleOfRule = ({ outcome }: Rule): string => `Chats that ${counted[outcome]}`;

/** Rounded down, so that evidence below its bound never appears to have reached it. */
export function evidenceWords({ evidence, withdrawsAt }: RuleEvidence): string {
  if (evidence >= withdrawsAt) return `over the ${count(withdrawsAt)} that withdraw it`;
  return `${(Math.floor(evidence * 10) / 10).toLocaleString()} of the ${count(withdrawsAt)} that withdraw it`;
}

const changes: Readonly<Record<Release['changes'][number]['kind'], (share: number) => string>> = {
  started: (share) => `Started with ${share} % of new chats`,
  raised: (share) => `Raised to ${share} % of new chats`,
  withdrawn: () => 'Withdrawn: the live version answers every chat',
  promoted: () => 'Promoted: the candidate is live',
};

export const changeWords = ({ kind, share }: Release['changes'][number]): string => changes[kind](share);

export const stepWords = ({ share, minimumSessions, minimumHours }: Release['steps'][number]): string =>
  `${share} % after ${count(minimumSessions)} finished chats and ${minimumHours} h`;
