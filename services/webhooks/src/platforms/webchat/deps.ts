import type { Database } from '@botyard/shared/db/database';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Received } from '../../admission/domain/admission.ts';
import type { KnownDelivery } from '../../admission/domain/draft-delivery.ts';
import type { Endpoints } from '../../endpoints/domain/endpoints.ts';
import type { Deps as FilesDeps } from '../../files/deps.ts';

import type { ChatMails } from '../domain/chat-mails.ts';
import type { Endpoint } from '../platform.ts';
import type { Sessions } from './domain/sessions.ts';
import type { Streams } from './domain/streams.ts';

export interface Deps extends Foundation, Pick<FilesDeps, 'objects' | 'spool' | 'mailStorageBytes'> {
  /** A separate pool, so that no other work can delay a message (REQ-REL-9). */
  admissionDatabase: Database;
  endpoints: Endpoints;
  keyring: Keyring;
  /** Admits what a visitor did. Resolves after the commit. @throws HttpError 503. */
  receive(endpoint: Endpoint, deliveries: readonly KnownDelivery[]): Promise<Received[]>;
  /** Continues chats by mail; `undefined` if nothing can. */
  chatMails(): ChatMails | undefined;
  sessions: Sessions;
  streams: Streams;
  /** The gateway's address for browsers. */
  publicBaseUrl: string;
}
