import type { RuleEvidence } from '../../store/releases-schema.ts';

/** The most false withdrawals of a release, over all its rules and however often they are looked at. */
const maxFalseWithdrawals = 0.05;
/** Below this number of finished sessions on either side nothing is decided. */
export const minFinishedSessions = 30;

/** A finished session of a release. `isWorse`: it had the outcome that the rule counts against a side. */
export interface FinishedSession {
  isCandidate: boolean;
  isWorse: boolean;
  /** The hour in which it began, since 1970. Only sessions of one hour are compared. */
  hour: number;
}

type Sides = Pick<RuleEvidence, 'candidate' | 'live'>;
type SideCount = RuleEvidence['live'];

/** How much worse a candidate may be. The test averages over them, so that none has to be guessed. */
export const oddsRatios: readonly number[] = [1.25, 1.5, 2, 2.5, 3, 4, 6, 10];

const nobody: Sides = { candidate: { sessions: 0, worse: 0 }, live: { sessions: 0, worse: 0 } };

export const noEvidence: RuleEvidence = {
  ...nobody,
  open: { ...nobody, hour: 0 },
  logRatios: oddsRatios.map(() => 0),
};

/**
 * Adds a finished session. Sessions must come in the order in which they began.
 *
 * Neighbours of one hour form a block, which ends with the first session of the other side. If both versions are
 * equal, each session of a block is equally likely to be a worse one, whatever the rate of that hour is.
 */
export function addSession(evidence: RuleEvidence, session: FinishedSession): RuleEvidence {
  const { hour } = session;
  const open = evidence.open.hour === hour ? evidence.open : nobody;
  const block = withSession(open, session);
  const counted = { ...evidence, ...withSession(evidence, session) };
  if (block.candidate.sessions === 0 || block.live.sessions === 0)
    return { ...counted, open: { ...block, hour } };
  const logRatios = evidence.logRatios.map(
    (logRatio, index) => logRatio + logRatioOf(block, oddsRatios[index]!),
  );
  return { ...counted, open: { ...nobody, hour }, logRatios };
}

function withSession({ candidate, live }: Sides, { isCandidate, isWorse }: FinishedSession): Sides {
  const add = ({ sessions, worse }: SideCount): SideCount => ({
    sessions: sessions + 1,
    worse: worse + Number(isWorse),
  });
  return isCandidate ? { candidate: add(candidate), live } : { candidate, live: add(live) };
}

/**
 * The conditional likelihood of a block, given the number of its worse sessions: how much more likely its arrangement
 * is if the candidate's odds of a worse session are multiplied by `oddsRatio`. One side has exactly one session.
 */
export function logRatioOf({ candidate, live }: Sides, oddsRatio: number): number {
  const all = candidate.sessions + live.sessions;
  const worse = candidate.worse + live.worse;
  const isCandidateSingle = candidate.sessions === 1;
  const single = isCandidateSingle ? candidate : live;
  const odds = isCandidateSingle ? oddsRatio : 1 / oddsRatio;
  const isWorseBy = (factor: number) => (factor * worse) / (factor * worse + all - worse);
  return single.worse === 1
    ? Math.log(isWorseBy(odds)) - Math.log(isWorseBy(1))
    : Math.log1p(-isWorseBy(odds)) - Math.log1p(-isWorseBy(1));
}

/**
 * The mean likelihood ratio against equality. If the candidate is not worse, it exceeds a number N at any time with a
 * probability of at most 1/N (Ville's inequality).
 */
export function evidenceAgainst({ logRatios }: RuleEvidence): number {
  const greatest = Math.max(...logRatios);
  const sum = logRatios.reduce((total, logRatio) => total + Math.exp(logRatio - greatest), 0);
  return (Math.exp(greatest) * sum) / logRatios.length;
}

/** The evidence at which a rule withdraws: the error is divided equally among the rules of a release. */
export const evidenceToWithdraw = (rules: number): number => rules / maxFalseWithdrawals;

/** Whether this rule, one of `rules`, withdraws its candidate. */
export function withdraws(evidence: RuleEvidence, rules: number): boolean {
  const fewest = Math.min(evidence.candidate.sessions, evidence.live.sessions);
  return fewest >= minFinishedSessions && evidenceAgainst(evidence) >= evidenceToWithdraw(rules);
}
