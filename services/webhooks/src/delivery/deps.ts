import type { Foundation } from '@botyard/shared/service/foundation';
import type { Wakeup } from '@botyard/shared/work/wakeup';
import type { Platforms } from '../platforms/platform.ts';
import type { Heartbeat } from './domain/heartbeat.ts';
import type { SendJournal } from './domain/send-journal.ts';

/** Dependencies of changes of a chat. */
export type ChatDeps = Pick<Foundation, 'outbox'>;

/** Dependencies of queueing replies. */
export type QueueDeps = ChatDeps & {
  platforms: Platforms;
  /** Wakes the sender, because replies may be waiting. */
  wakeSender: () => void;
};

/** Dependencies of sending. */
export type SendDeps = Foundation &
  QueueDeps & {
    heartbeat: Heartbeat;
    journal: SendJournal;
    /** Wakes the senders. */
    sends: Wakeup;
  };
