import type { ErrorCode } from '@botyard/contracts/http/errors';
import type { Cause } from '../../models/domain/cause.ts';

/**
 * The reason why a trial has no answer: a code for programs, and a text for the people who run the agent. The text
 * doesn't contain the provider's own.
 */
export interface TrialFault {
  code: ErrorCode;
  error: string;
}

const faults: Partial<Record<Cause, TrialFault>> = {
  timeout: { code: 'model_timeout', error: 'the model took too long' },
  'rate limited': {
    code: 'rate_limited',
    error:
      'the provider limits the keys, or other calls have reserved the rest of the quota: try again in a minute',
  },
  'key refused': { code: 'key_refused', error: 'the provider refused the key: store a valid one' },
  'model refused': {
    code: 'model_refused',
    error: 'the provider has no such model, or the key may not use it: check the model',
  },
  refused: {
    code: 'request_refused',
    error: 'the provider refused the request: check the model and its settings',
  },
  'content refused': {
    code: 'request_refused',
    error: 'the provider refused the content of the messages: its filter does not allow it',
  },
  'too long': { code: 'request_refused', error: "the messages are too long for the model's context window" },
  filtered: { code: 'empty_answer', error: "the provider's filter held the whole answer back" },
  'unusable answer': { code: 'unusable_answer', error: 'the answer was too long, or could not be read' },
  'empty answer': { code: 'empty_answer', error: 'the model had nothing to say' },
  'no key': { code: 'no_key', error: 'there is no key for the provider of this agent: store one' },
  'quota exhausted': { code: 'quota_exhausted', error: 'the quota is used up' },
  'allowance used up': {
    code: 'allowance_used_up',
    error: "the tenant has used up its allowance on the platform's keys: store a key of its own",
  },
};

const unavailable: TrialFault = {
  code: 'model_unavailable',
  error: 'the provider does not answer, or none is configured',
};

export const faultOf = (cause: Cause): TrialFault => faults[cause] ?? unavailable;

/** Statuses of the causes that prevent a trial from starting. */
const statuses: Partial<Record<Cause, number>> = { 'no key': 422 };

export const statusOf = (cause: Cause): number => statuses[cause] ?? 429;
