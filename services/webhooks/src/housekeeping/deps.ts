import type { Foundation } from '@botyard/shared/service/foundation';
import type { QueueDeps } from '../delivery/deps.ts';

export interface Deps extends Foundation, QueueDeps {
  /** How long original mails, and files of mails and chats, are kept; `null` means without a limit. */
  mailRetentionDays: number | null;
}
