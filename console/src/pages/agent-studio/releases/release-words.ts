import { outcomeWords } from '@botyard/contracts/outcome-words';
import { count } from '../../../parts/text.tsx';
import type { Release, RuleEvidence } from './use-releases.ts';

type Rule = Release['rules'][number];

interface OfferedRule extends Rule {
  isChosenAtFirst?: boolean;
}

/** The rules that a release can begin with. */
export const offeredRules: readonly OfferedRule[] = [
  { outcome: 'handed_over', worse: 'more', isChosenAtFirst: true },
  { outcome: 'failed', worse: 'more', isChosenAtFirst: true },
  { outcome: 'repeated', worse: 'more' },
  { outcome: 'stopped', worse: 'more' },
  { outcome: 'given_up', worse: 'more' },
  { outcome: 'resolved', worse: 'less' },
  { outcome: 'rated_down', worse: 'more' },
];

/** A rule as the end of "Withdraw the candidate when its chats …". */
export const ruleWords = ({ outcome, worse }: Rule): string =>
  `${outcomeWords[outcome].chats} ${worse} often`;

export const percent = (part: number, whole: number): string =>
  whole === 0 ? '0 %' : `${Math.round((100 * part) / whole)} %`;

/** How many chats of a side had the outcome. `worse` counts those that speak against it. */
export const withOutcome = ({ worse }: Rule, side: RuleEvidence['live']): number =>
  worse === 'more' ? side.worse : side.sessions - side.worse;

export function sideWords(rule: RuleEvidence, side: RuleEvidence['live']): string {
  const chats = withOutcome(rule, side);
  return `${count(chats)} of ${count(side.sessions)} (${percent(chats, side.sessions)})`;
}

export const titleOfRule = ({ outcome }: Rule): string => `Chats that ${outcomeWords[outcome].chats}`;

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
