import type { Answer } from '@botyard/testing/test-call';
import type { ServiceUnderTest } from './service-under-test.ts';
import type { TestTenant } from './test-tenant.ts';

/** A step of a test in its own tenant. */
export type Step<Result = unknown> = (sut: ServiceUnderTest, tenant: TestTenant) => Promise<Result>;

/** Makes what the samples of the question are about; the function that it returns looks at the answer to the first. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails when that isn't there
export type AnswerCase = Step<(answer: any) => void>;

export interface AskCase {
  /** Makes the service send the request, by an action of somebody other than the fake services. */
  provoke: Step<Pick<Answer, 'status'>>;
  /** Preparation before the case. */
  arrange?: Step;
  /** Makes a sample of the answer true, where something in it has to open, or to exist. */
  // biome-ignore lint/suspicious/noExplicitAny: each answer and each question has a shape of its own
  makeTrue?: (answer: any, about: { sut: ServiceUnderTest; tenant: TestTenant; question: any }) => unknown;
  /**
   * Expected status if it is answered, or the status by title of the sample; samples without one are answered like
   * the first. Defaults to 200.
   */
  answered?: number | Readonly<Record<string, number>>;
  /** Expected status if nobody answers; defaults to 503. */
  absent?: number;
  /** Completes, once somebody answers, the work that failed while nobody answered. */
  resumes?: Step;
  /** Expected status if the neighbour refuses with 422; defaults to the same. */
  refused?: number;
  /** Expected status if the neighbour's answer can't be read; defaults to 500. */
  unreadable?: number;
  /** The service asks on its own account, and nobody waits for the answer. */
  isInBackground?: true;
}

export interface ConsumeCase {
  arrange?: Step;
  /** Moves the first sample to today, where an old one has no effect. */
  // biome-ignore lint/suspicious/noExplicitAny: each event has a shape of its own
  today?: (payload: any) => unknown;
  /** Whether the first sample had its effect; asked until it is so. */
  effect: Step<boolean>;
}

/** Everything that a service sends and receives, by name; `checkContracts` reports missing entries. */
export interface Tables {
  answers: Readonly<Record<string, AnswerCase>>;
  asks: Readonly<Record<string, AskCase>>;
  consumes: Readonly<Record<string, ConsumeCase>>;
  /** The events for which something cached is dropped. Each step fails unless it is. */
  watches: Readonly<Record<string, Step>>;
  /** Has the service publish the event about the tenant. */
  publishes: Readonly<Record<string, Step>>;
  /** Has the service give the hint about the tenant. */
  signals: Readonly<Record<string, Step>>;
  /** Fails unless the hint is received. */
  listens: Readonly<Record<string, Step>>;
}
