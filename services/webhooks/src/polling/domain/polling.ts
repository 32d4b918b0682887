import type { PlatformName } from '@botyard/contracts/http/platform';
import { withPlatform } from '@botyard/shared/db/database';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../../deps.ts';
import type { Platform } from '../../platforms/platform.ts';
import { claimPolls, type Poll } from '../store/polls.ts';
import { BotPolling, type PolledPlatform } from './bot-polling.ts';

/** The most bots that one process polls concurrently. */
const maxPolls = 100;
const claimEveryMs = 1000;

/**
 * Polls the platforms for updates if they can't deliver them, so that a developer's bot needs no https address. Each
 * bot is polled by one process. A changed integration is released, and claimed again in its new state.
 */
export function createPolling(deps: Deps): Worker {
  const stopping = new AbortController();
  const polled = new Map(Object.values(deps.platforms).flatMap(polledOf));
  const loop = new ClaimLoop<{ poll: Poll; claimedAtMs: number }>({
    name: 'polling',
    maxConcurrent: maxPolls,
    pollEveryMs: claimEveryMs,
    claim: async (limit) => {
      const claimedAtMs = performance.now();
      const polls = await withPlatform(deps.database, 'claim polls', (tx) =>
        claimPolls(tx, [...polled.keys()], limit),
      );
      return polls.map((poll) => ({ poll, claimedAtMs }));
    },
    run: async ({ poll, claimedAtMs }) => {
      const how = polled.get(poll.integrationType);
      if (how) await new BotPolling(deps, how, poll, claimedAtMs).run(stopping.signal);
    },
    // Otherwise a bot whose polling ends would be claimed again immediately, over and over.
    mayHaveLeft: () => false,
    log: deps.log,
    stalls: deps.stalls,
  });
  return {
    start: () => {
      deps.log.info('updates of the messenger are polled (long polling), not delivered to a webhook');
      loop.start();
    },
    stop: async () => {
      stopping.abort();
      await loop.stop();
    },
  };
}

function polledOf(platform: Platform): [PlatformName, PolledPlatform][] {
  const { name, inbound } = platform;
  return inbound?.poll ? [[name, { platform, inbound, poll: inbound.poll }]] : [];
}
