import type { Schema } from '@botyard/client/client';

interface ChannelState {
  word: string;
  /** The platform's reason, or ours. */
  problem: string | undefined;
}

const words = {
  pending: 'pending',
  registered: 'connected',
  failed: 'failed',
  awaiting_first_delivery: 'waiting for the first message',
} as const;

/** The state of a channel in words. */
export function stateOf({
  enabled,
  registration: { state, lastError },
}: Pick<Schema<'Integration'>, 'enabled' | 'registration'>): ChannelState {
  return {
    word: enabled ? words[state] : 'disabled',
    problem: lastError,
  };
}
