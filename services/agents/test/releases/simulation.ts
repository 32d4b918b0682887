import {
  addSession,
  type FinishedSession,
  noEvidence,
  withdraws,
} from '../../src/releases/domain/sequential-test.ts';

/** Sessions of a release, by chance: the rates are those of worse sessions. */
export interface Stream {
  liveRate: number;
  candidateRate: number;
  share: number;
  sessionsPerHour: number;
  rules: number;
}

/** From 10 % to 30 % worse sessions, half of them with the candidate. */
export const worse: Stream = {
  liveRate: 0.1,
  candidateRate: 0.3,
  share: 0.5,
  sessionsPerHour: 100,
  rules: 1,
};
export const equal: Stream = { ...worse, candidateRate: 0.1 };

/** Numbers between 0 and 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The finished sessions of a stream, in the order in which they begin. */
export function* sessionsOf(stream: Stream, seed: number, sessions: number): Generator<FinishedSession> {
  const random = seededRandom(seed);
  for (let session = 1; session <= sessions; session += 1) {
    const isCandidate = random() < stream.share;
    const isWorse = random() < (isCandidate ? stream.candidateRate : stream.liveRate);
    yield { isCandidate, isWorse, hour: Math.floor(session / stream.sessionsPerHour) };
  }
}

/** The session after which the candidate of this stream is withdrawn, looked at after each; `null` if never. */
export function withdrawnAfter(stream: Stream, seed: number, sessions: number): number | null {
  let evidence = noEvidence;
  let count = 0;
  for (const session of sessionsOf(stream, seed, sessions)) {
    count += 1;
    evidence = addSession(evidence, session);
    if (withdraws(evidence, stream.rules)) return count;
  }
  return null;
}

/** The withdrawals of so many streams, with the seeds 1, 2, 3, in the order of their time. */
export const withdrawalsOf = (stream: Stream, streams: number, sessions: number): number[] =>
  Array.from({ length: streams }, (_, index) => withdrawnAfter(stream, index + 1, sessions))
    .filter((session) => session !== null)
    .sort((left, right) => left - right);
