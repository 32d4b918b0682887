import type { Cause } from '../../models/domain/cause.ts';

/** Why a trial has no answer, for the people who run the agent. The texts don't contain the provider's own. */
const faults: Partial<Record<Cause, string>> = {
  timeout: 'the model took too long',
  'rate limited':
    'the provider limits the keys, or other calls have reserved the rest of the quota: try again in a minute',
  'key refused': 'the provider refused the key: store a valid one',
  'model refused': 'the provider has no such model, or the key may not use it: check the model',
  refused: 'the provider refused the request: check the model and its settings',
  'content refused': 'the provider refused the content of the messages: its filter does not allow it',
  'too long': "the messages are too long for the model's context window",
  filtered: "the provider's filter held the whole answer back",
  'unusable answer': 'the answer was too long, or could not be read',
  'empty answer': 'the model had nothing to say',
  'no key': 'there is no key for the provider of this agent: store one',
  'quota exhausted': 'the quota is used up',
  'allowance used up': "the tenant has used up its allowance on the platform's keys: store a key of its own",
};

export const faultOf = (cause: Cause): string =>
  faults[cause] ?? 'the provider does not answer, or none is configured';

/** The causes that pass by themselves. */
const passing: readonly Cause[] = ['rate limited'];

/** The status of a cause that prevents a trial from starting. */
export const statusOf = (cause: Cause): 422 | 503 => (passing.includes(cause) ? 503 : 422);
