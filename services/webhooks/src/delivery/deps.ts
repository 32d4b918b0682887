import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Slot } from '@botyard/shared/work/leased-queue/leased-queue';
import type { Wakeup } from '@botyard/shared/work/wakeup';
import type { Deps as ChatDeps } from '../chats/deps.ts';
import type { Heartbeat } from './domain/heartbeat.ts';
import type { ChatToServe } from './domain/send.ts';
import type { SendJournal } from './domain/send-journal.ts';

/** Dependencies of queueing replies. */
export interface QueueDeps extends ChatDeps {
  heartbeat: Pick<Heartbeat, 'processId'>;
  journal: SendJournal;
  sending: {
    /** A slot for a chat of this tenant; `undefined` if this process has none. */
    reserve(platform: PlatformName, tenantId: string): Slot<ChatToServe> | undefined;
  };
}

/** Dependencies of sending. */
export interface SendDeps extends Foundation, ChatDeps {
  heartbeat: Heartbeat;
  journal: SendJournal;
  /** Wakes the sender of a platform. */
  sends: Wakeup<[platform: PlatformName]>;
}
