import type { Foundation } from '@botyard/shared/service/foundation';
import type { Wakeup } from '@botyard/shared/work/wakeup';
import type { Deps as ChatDeps } from '../chats/deps.ts';
import type { Heartbeat } from './domain/heartbeat.ts';
import type { SendJournal } from './domain/send-journal.ts';

/** Dependencies of queueing replies. */
export type QueueDeps = ChatDeps;

/** Dependencies of sending. */
export type SendDeps = Foundation &
  QueueDeps & {
    heartbeat: Heartbeat;
    journal: SendJournal;
    /** Wakes the senders. */
    sends: Wakeup;
  };
