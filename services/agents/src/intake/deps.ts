import type { Deps as ConversationsDeps } from '../conversations/deps.ts';

export type Deps = ConversationsDeps & {
  /** Called when conversations are ready to be answered, or will be after this time. */
  wakeWorker: (inMs?: number) => void;
};
