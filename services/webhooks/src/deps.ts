import type { Database } from '@botyard/shared/db/database';
import type { ObjectStore } from '@botyard/shared/files/objects/object-store';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { Wakeup } from '@botyard/shared/work/wakeup';
import type { Counter } from 'prom-client';
import type { Admission } from './admission/domain/admission.ts';
import type { AmbientMessages } from './admission/domain/ambient-messages.ts';
import type { Heartbeat } from './delivery/domain/heartbeat.ts';
import type { SendJournal } from './delivery/domain/send-journal.ts';
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
  /** The installation's own account, for tenants without one, and its daily limit for each of them. */
  mailerAccount: InstallationsAccount;
  /** A separate pool, so that no other work can delay a delivery (REQ-REL-9). */
  admissionDatabase: Database;
  /** Default limit on the stored bytes of a tenant's mails, and of files of its chats; `null` is unlimited. */
  mailStorageBytes: number | null;
  /** How long original mails, and files of mails and chats, are kept; `null` means without a limit. */
  mailRetentionDays: number | null;
  admission: Admission;
  endpoints: Endpoints;
  ambientMessages: AmbientMessages;
  mailboxes: Mailboxes;
  platforms: Platforms;
  /** Files of mails and of chats, by tenant. */
  objects: ObjectStore;
  /** Files that are being examined. */
  spool: Spool;
  textExtraction: TextExtraction;
  /** Records that this process is alive and keeps its claims. */
  heartbeat: Heartbeat;
  /** Knowledge of this process about its sends that the database does not have. */
  journal: SendJournal;
  /** Reads and formats external texts. */
  texts: TextWorker;
  deliveriesCounted: Counter<'verdict' | 'reason'>;
  /** `null` without IDP_WEBHOOK_SECRET: then all deliveries of the identity provider are refused. */
  verifyIdpDelivery: VerifyDelivery | null;
  webhookBaseUrl: string;
  /** Prefix of links in mails. */
  publicBaseUrl: string;
  /** Interval between checks of an integration's webhook at the platform. */
  webhookCheckEveryMs: number;
  tenantPurge: Pick<TenantPurge, 'wake'>;
  /** Wakes the senders once they are made. */
  sends: Wakeup;
  /** Wakes the sender, because replies may be waiting. */
  wakeSender: () => void;
  /** Wakes the fetching of files, because new ones may be due. */
  wakeMedia: () => void;
  /** Wakes the reading of mails' documents, because new ones may be due. */
  wakeMailReading: () => void;
  /** Wakes the acknowledgement of pressed buttons, because new presses may be due. */
  wakeCallbacks: () => void;
  /** Wakes the registrar, because registrations may be due. */
  wakeRegistrar: () => void;
  /** Wakes the checker, because a check of an integration was requested. */
  wakeChecker: () => void;
  isProduction: boolean;
  /** Platforms that allow it are polled for updates, and have no webhook. */
  isPolling: boolean;
}
