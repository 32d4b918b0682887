import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Deps as ConversationsDeps } from '../conversations/deps.ts';

export interface Deps extends ConversationsDeps {
  /** Archive files, and files of messages. */
  objects: ObjectStore;
  /** Wakes the archivist, because a job may be due. */
  wakeArchivist: () => void;
}
