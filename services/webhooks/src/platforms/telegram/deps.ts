import type { AdapterContext } from '../adapter.ts';
import type { MessengerClient } from './clients/messenger.ts';
import type { MessengerFiles } from './clients/messenger-files.ts';

export interface Deps extends AdapterContext {
  messenger: MessengerClient;
  messengerFiles: MessengerFiles;
  /** Wakes the acknowledgement of pressed buttons, because new presses may be due. */
  wakeCallbacks: () => void;
  /** Updates are polled, and there is no webhook. */
  isPolling: boolean;
}
