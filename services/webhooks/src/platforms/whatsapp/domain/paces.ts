import type { Paces } from '../../domain/paces.ts';

/**
 * One message in 6 s to a person. The platform lends a burst of up to 45 against the time that follows; a third of it
 * is used here, so that the parts of a long answer leave room for the next one. A number sends 80 a second.
 */
export const paces: Paces = {
  bot: { intervalMs: 1000 / 70, burst: 10 },
  chatBurst: 15,
  chatIntervalMs: () => 6000,
};
