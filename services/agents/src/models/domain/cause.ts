import type { PlainWordKey, Say } from '@botyard/words/words';
import type { ModelFailure } from '../clients/call-failure.ts';

/**
 * Why a person gets a sentence of ours instead of an answer. Each cause has one safe text, with no detail of a provider
 * (REQ-CHAT-4).
 */
export type Cause =
  | ModelFailure
  /** A filter of the provider held the whole answer back. */
  | 'filtered'
  | 'no key'
  | 'no agent'
  | 'agent disabled'
  | 'unsupported content'
  | 'quota exhausted'
  | 'allowance used up'
  | 'private chat not granted';

const apologies: Readonly<Record<Cause, PlainWordKey>> = {
  timeout: 'timeout',
  unavailable: 'unavailable',
  'rate limited': 'busy',
  'key refused': 'key_refused',
  'model refused': 'model_refused',
  refused: 'request_refused',
  'content refused': 'refused',
  'too long': 'too_long',
  filtered: 'answer.filtered',
  'unusable answer': 'no_words',
  'empty answer': 'no_words',
  'no key': 'no_key',
  'no agent': 'no_agent',
  'agent disabled': 'agent_disabled',
  'quota exhausted': 'quota_exhausted',
  'allowance used up': 'allowance_used_up',
  'unsupported content': 'unsupported',
  'private chat not granted': 'not_granted',
};

export const apologyFor = (say: Say, cause: Cause): string => say(apologies[cause]);
