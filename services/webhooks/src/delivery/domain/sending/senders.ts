import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Deps } from '../../../deps.ts';
import type { Typing } from '../chats/typing.ts';
import type { Sending, SendLoop } from './send-loop.ts';
import { type ChatToServe, createSender } from './sender.ts';

interface Senders extends Pick<SendLoop<ChatToServe>, 'start' | 'stop' | 'wake'> {
  reserve(platform: PlatformName, tenantId: string): ReturnType<SendLoop<ChatToServe>['reserve']>;
}

/** The sender, one per platform, so that a hanging platform takes no slots from the others. */
export function createSenders(deps: Deps, shared: { typing: Typing; sending: Sending }): Senders {
  const senders = new Map(
    Object.values(deps.platforms).map((platform) => [
      platform.name,
      createSender(deps, { platform, ...shared }),
    ]),
  );
  const all = [...senders.values()];
  return {
    start: () => {
      for (const sender of all) sender.start();
    },
    stop: async () => {
      await Promise.all(all.map((sender) => sender.stop()));
    },
    wake: () => {
      for (const sender of all) sender.wake();
    },
    reserve: (platform, tenantId) => senders.get(platform)?.reserve(tenantId),
  };
}
