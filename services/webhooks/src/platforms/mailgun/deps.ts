import type { Database } from '@botyard/shared/db/database';
import type { Counter } from 'prom-client';
import type { Deps as EndpointsDeps } from '../../endpoints/deps.ts';
import type { Deps as FilesDeps } from '../../files/deps.ts';
import type { MailerClient } from './clients/mailer.ts';
import type { PostedMail, ReadMail } from './domain/inbound/read/read-mail.ts';
import type { Mailboxes } from './domain/mailboxes.ts';
import type { InstallationsAccount } from './domain/outbound/account.ts';
import type { MailBody } from './domain/outbound/format/format-mail.ts';

export interface Deps extends EndpointsDeps, FilesDeps {
  mailer: MailerClient;
  mailboxes: Mailboxes;
  texts: {
    /** @throws HttpError 503 when it takes too long, so that the mailer retries. */
    readMail(owner: string, posted: PostedMail): Promise<{ mail: ReadMail; digest: string }>;
    /** Resolves with `undefined` when nothing is visible. @throws TaskError when too many texts wait. */
    formatMail(owner: string, markdown: string, signal?: AbortSignal): Promise<MailBody | undefined>;
  };
  /** The installation's own account, for tenants without one, and its daily limit for each of them. */
  mailerAccount: InstallationsAccount;
  /** A separate pool, so that no other work can delay a delivery (REQ-REL-9). */
  admissionDatabase: Database;
  deliveriesCounted: Counter<'verdict' | 'reason'>;
  /** Prefix of links in mails. */
  publicBaseUrl: string;
  /** Wakes the reading of mails' documents, because new ones may be due. */
  wakeMailReading: () => void;
  /** Wakes the sender, because replies may be waiting. */
  wakeSender: () => void;
}
