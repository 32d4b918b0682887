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
