import { evidenceToWithdraw, logRatioOf, minFinishedSessions, oddsRatios } from './sequential-test.ts';

/** A candidate that is worse, and the traffic that it gets. */
interface Scenario {
  /** The rates of worse sessions. */
  liveRate: number;
  candidateRate: number;
  /** The candidate's part of the sessions, between 0 and 1. */
  share: number;
  sessionsPerHour: number;
  rules: number;
}

/** The probability of a withdrawal by then is about 0.98: two standard deviations. */
const deviations = 2;

/**
 * The number of sessions by which such a candidate is withdrawn, computed before anything is observed: the logarithm of
 * the ratio grows by independent steps, whose mean and variance follow from all blocks that can occur.
 */
export function neededSessions(scenario: Scenario): number {
  const { share, sessionsPerHour, rules } = scenario;
  const blocks = blocksOf(share);
  const sessionsPerBlock = meanOf(blocks, ({ candidates, lives }) => candidates + lives);
  const threshold = Math.log(evidenceToWithdraw(rules)) + Math.log(oddsRatios.length);
  const neededBlocks = Math.min(
    ...oddsRatios.map((oddsRatio) => blocksUntil(threshold, stepOf(scenario, blocks, oddsRatio))),
  );
  // The block that is open at the end of an hour is lost.
  const usable = Math.max(0, sessionsPerHour - sessionsPerBlock) / sessionsPerHour;
  const fewest = minFinishedSessions / Math.min(share, 1 - share);
  return Math.ceil(Math.max(fewest, (neededBlocks * sessionsPerBlock) / usable));
}

interface Block {
  candidates: number;
  lives: number;
  probability: number;
}

/** Rarer blocks are left out. */
const leastProbability = 1e-7;

function blocksOf(share: number): Block[] {
  const blocks: Block[] = [];
  for (let many = 1; ; many += 1) {
    const ofLives = (1 - share) ** many * share;
    const ofCandidates = share ** many * (1 - share);
    if (Math.max(ofLives, ofCandidates) < leastProbability) return blocks;
    blocks.push({ candidates: 1, lives: many, probability: ofLives });
    blocks.push({ candidates: many, lives: 1, probability: ofCandidates });
  }
}

const meanOf = <Value extends { probability: number }>(of: readonly Value[], value: (one: Value) => number) =>
  of.reduce((sum, one) => sum + one.probability * value(one), 0);

interface Step {
  mean: number;
  variance: number;
}

/** The growth of the logarithm with a block. */
function stepOf({ liveRate, candidateRate }: Scenario, blocks: readonly Block[], oddsRatio: number): Step {
  const outcomes = blocks.flatMap(({ candidates, lives, probability }) =>
    countsOf(candidates, candidateRate).flatMap((candidate) =>
      countsOf(lives, liveRate).map((live) => ({
        probability: probability * candidate.probability * live.probability,
        logRatio: logRatioOf({ candidate, live }, oddsRatio),
      })),
    ),
  );
  const mean = meanOf(outcomes, ({ logRatio }) => logRatio);
  return { mean, variance: meanOf(outcomes, ({ logRatio }) => (logRatio - mean) ** 2) };
}

/** The binomial distribution of worse sessions, without what is rarer than `leastProbability`. */
function countsOf(sessions: number, rate: number) {
  const counts: { sessions: number; worse: number; probability: number }[] = [];
  let probability = (1 - rate) ** sessions;
  for (let worse = 0; worse <= sessions; worse += 1) {
    if (probability >= leastProbability) counts.push({ sessions, worse, probability });
    probability *= ((sessions - worse) / (worse + 1)) * (rate / (1 - rate));
  }
  return counts;
}

/** The number of steps n with n * mean - deviations * sqrt(n * variance) = threshold. */
function blocksUntil(threshold: number, { mean, variance }: Step): number {
  if (mean <= 0) return Number.POSITIVE_INFINITY;
  const spread = deviations * Math.sqrt(variance);
  const root = (spread + Math.sqrt(spread ** 2 + 4 * mean * threshold)) / (2 * mean);
  return root ** 2;
}
