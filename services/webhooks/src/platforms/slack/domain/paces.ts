import type { Paces } from '../../domain/paces.ts';

/**
 * The platform takes one message a second in each channel, and several hundred a minute in a workspace: 4 a second
 * leaves room for its other limits.
 */
export const paces: Paces = {
  bot: { intervalMs: 250, burst: 8 },
  chatBurst: 1,
  chatIntervalMs: () => 1000,
};
