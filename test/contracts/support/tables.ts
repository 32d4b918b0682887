import type { Answer } from '@botyard/testing/test-call';
import type { LoneService } from './lone-service.ts';
import type { World } from './world.ts';

/** What a test does in a world of its own. */
export type Step<Result = unknown> = (lone: LoneService, world: World) => Promise<Result>;

/** Makes what the samples of the question are about; the function that it returns looks at the answer to the first. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails when that isn't there
export type AnswerCase = Step<(answer: any) => void>;

export interface AskCase {
  /** Has the service ask, by what somebody does who is none of its neighbours. */
  provoke: Step<Pick<Answer, 'status'>>;
  /** What is needed before. */
  arrange?: Step;
  /** Makes a sample of the answer true, where something in it has to open, or to exist. */
  // biome-ignore lint/suspicious/noExplicitAny: each answer and each question has a shape of its own
  makeTrue?: (answer: any, about: { lone: LoneService; world: World; question: any }) => unknown;
  /**
   * Status when it is answered, or by title of the sample: those without one are answered as the first is. 200 unless
   * told.
   */
  answered?: number | Readonly<Record<string, number>>;
  /** Status when nobody answers; 503 unless told. */
  absent?: number;
  /** What could not be done while nobody answered is done when somebody does. */
  goesOn?: Step;
  /** Status when the neighbour refuses with 422; the same unless told. */
  refused?: number;
  /** Status when the neighbour's answer can't be read; 500 unless told. */
  unreadable?: number;
  /** The service asks on its own account, and nobody waits for the answer. */
  isInBackground?: true;
}

export interface ConsumeCase {
  arrange?: Step;
  /** Moves the first sample to today, where an old one has no effect. */
  // biome-ignore lint/suspicious/noExplicitAny: each event has a shape of its own
  today?: (said: any) => unknown;
  /** Whether the first sample had its effect; asked until it is so. */
  effect: Step<boolean>;
}

/** Everything that a service says and hears, by name; `checkContracts` tells what is missing. */
export interface Tables {
  answers: Readonly<Record<string, AnswerCase>>;
  asks: Readonly<Record<string, AskCase>>;
  consumes: Readonly<Record<string, ConsumeCase>>;
  /** Of events for which something remembered is dropped: fails unless it is. */
  watches: Readonly<Record<string, Step>>;
  /** Has the service publish the event about the world. */
  publishes: Readonly<Record<string, Step>>;
  /** Has the service give the hint about the world. */
  signals: Readonly<Record<string, Step>>;
  /** Fails unless the hint is heard. */
  listens: Readonly<Record<string, Step>>;
}
