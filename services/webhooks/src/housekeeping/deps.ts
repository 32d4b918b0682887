import type { Foundation } from '@botyard/shared/service/foundation';
import type { Platforms } from '../platforms/platform.ts';

export interface Deps extends Foundation {
  /** How long original mails, and files of mails and chats, are kept; `null` means without a limit. */
  mailRetentionDays: number | null;
  platforms: Platforms;
  /** Wakes the sender, because replies may be waiting. */
  wakeSender: () => void;
}
