import type { PlatformName } from '@botyard/contracts/http/platform';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import type { Worker } from '@botyard/shared/work/worker';
import type { Platform } from '../../platforms/platform.ts';
import type { Deps } from '../deps.ts';
import { pollQueue } from '../store/polls.ts';
import { BotPolling, type PolledPlatform } from './bot-polling.ts';

/** The most bots that one process polls concurrently. */
const maxPolls = 100;

/**
 * Polls the platforms for updates if they can't deliver them, so that a developer's bot needs no https address. Each
 * bot is polled by one process. A changed integration is released, and claimed again in its new state. `undefined` if
 * no platform is polled.
 */
export function createPolling(deps: Deps): Worker | undefined {
  const polled = new Map(Object.values(deps.platforms).flatMap(polledOf));
  if (polled.size === 0) return undefined;
  const queue = new LeasedQueue(deps, {
    name: 'polling',
    table: pollQueue([...polled.keys()]),
    slots: maxPolls,
    run: (poll, lease) => new BotPolling(deps, polled.get(poll.integrationType)!, poll, lease).run(),
  });
  return {
    start: () => {
      const platforms = [...polled.keys()];
      deps.log.info({ platforms }, 'updates are polled (long polling), not delivered to a webhook');
      queue.start();
    },
    stop: () => queue.stop(),
  };
}

function polledOf(platform: Platform): [PlatformName, PolledPlatform][] {
  const { name, inbound } = platform;
  return inbound?.poll ? [[name, { platform, inbound, poll: inbound.poll }]] : [];
}
