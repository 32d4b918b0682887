import type { Database } from '@botyard/shared/db/database';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Endpoints } from '../../endpoints/domain/endpoints.ts';
import type { ReadDelivery } from '../domain/read-delivery.ts';
import type { MessengerClient } from './clients/messenger.ts';
import type { MessengerFiles } from './clients/messenger-files.ts';
import type { OwnBot } from './domain/connection.ts';
import type { ReplyPart } from './domain/format-reply.ts';

export interface Deps extends Foundation {
  messenger: MessengerClient;
  messengerFiles: MessengerFiles;
  /** A separate pool, so that no other work can delay a delivery (REQ-REL-9). */
  admissionDatabase: Database;
  endpoints: Endpoints;
  texts: {
    /** Resolves with `null` if the bytes aren't JSON. @throws HttpError 503 when it takes too long. */
    readUpdate(owner: string, bytes: Uint8Array, bot: OwnBot): Promise<ReadDelivery | null>;
    /** Falls back to plain text if formatting takes too long or fails. @throws TaskError when too many texts wait. */
    formatReply(owner: string, markdown: string, signal?: AbortSignal): Promise<ReplyPart[]>;
  };
  /** Wakes the acknowledgement of pressed buttons, because new presses may be due. */
  wakeCallbacks: () => void;
  /** Platforms that allow it are polled for updates, and have no webhook. */
  isPolling: boolean;
  isProduction: boolean;
}
