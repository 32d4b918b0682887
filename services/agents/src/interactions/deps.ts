import type { Deps as InboxDeps } from '../inbox/deps.ts';
import type { Deps as MediaDeps } from '../media/deps.ts';
import type { Deps as TakeoverDeps } from '../takeover/deps.ts';

export type Deps = InboxDeps &
  MediaDeps &
  TakeoverDeps & {
    /** Called when a conversation is ready for its next turn. */
    wakeWorker: (inMs?: number) => void;
  };
