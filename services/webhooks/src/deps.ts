import type { Database } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { Counter } from 'prom-client';
import type { Admission } from './admission/domain/admission.ts';
import type { AmbientMessages } from './admission/domain/ambient-messages.ts';
import type { ImmediateSends } from './delivery/domain/begin-at-once.ts';
import type { Heartbeat } from './delivery/domain/sending/heartbeat.ts';
import type { Endpoints } from './endpoints/domain/endpoints.ts';
import type { TextExtraction } from './files/domain/extract-texts.ts';
import type { Spool } from './files/domain/spool.ts';
import type { VerifyDelivery } from './identity/domain/verify-delivery.ts';
import type { MailerClient } from './platforms/mailgun/clients/mailer.ts';
import type { Mailboxes } from './platforms/mailgun/domain/mailboxes.ts';
import type { InstallationsAccount } from './platforms/mailgun/domain/outbound/account.ts';
import type { Platforms } from './platforms/platform.ts';
import type { MessengerClient } from './platforms/telegram/clients/messenger.ts';
import type { MessengerFiles } from './platforms/telegram/clients/messenger-files.ts';
import type { TextWorker } from './text-threads/domain/text-worker.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  messenger: MessengerClient;
  messengerFiles: MessengerFiles;
  mailer: MailerClient;
  /** The installation's own account, which sends for tenants without one, and what it sends for each of them in a day. */
  mailerAccount: InstallationsAccount;
  /** A pool of its own: nothing else can keep a delivery waiting (REQ-REL-9). */
  admissionDatabase: Database;
  /** Bytes that are kept of a tenant's mails, and of files of its chats, where no operator has set another limit; `null` is unlimited. */
  mailStorageBytes: number | null;
  /** How long mails are kept as they came, and files of mails and chats; `null` is for ever. */
  mailRetentionDays: number | null;
  admission: Admission;
  endpoints: Endpoints;
  ambientMessages: AmbientMessages;
  mailboxes: Mailboxes;
  platforms: Platforms;
  /** Files of mails and of chats, by tenant. */
  objects: ObjectStore;
  /** Files that are being looked at. */
  spool: Spool;
  textExtraction: TextExtraction;
  /** By which others see that this process lives and keeps what it sends. */
  heartbeat: Heartbeat;
  /** Where outcomes of sends are kept that the database does not take. */
  outcomeFolder: string;
  /** Reads and writes texts of others. */
  texts: TextWorker;
  deliveriesCounted: Counter<'verdict' | 'reason'>;
  /** `null` without IDP_WEBHOOK_SECRET: then no delivery of the identity provider is taken. */
  verifyIdpDelivery: VerifyDelivery | null;
  webhookBaseUrl: string;
  /** What links in mails begin with. */
  publicBaseUrl: string;
  /** How often the platform is asked where it delivers to for an integration. */
  webhookCheckEveryMs: number;
  tenantPurge: Pick<TenantPurge, 'wake'>;
  immediateSends: ImmediateSends;
  /** Replies may be waiting to be sent. */
  wakeSender: () => void;
  /** Files of chats may wait to be fetched. */
  wakeMedia: () => void;
  /** Presses of buttons may wait to be acknowledged. */
  wakeCallbacks: () => void;
  /** Registrations may be due. */
  wakeRegistrar: () => void;
  /** Somebody wants an integration checked. */
  wakeChecker: () => void;
  isProduction: boolean;
  /** Platforms that can be are asked for updates, and have no webhook. */
  isPolling: boolean;
}
