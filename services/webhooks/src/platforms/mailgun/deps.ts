import type { AdapterContext } from '../adapter.ts';
import type { MailerClient } from './clients/mailer.ts';
import type { Mailboxes } from './domain/mailboxes.ts';
import type { InstallationsAccount } from './domain/outbound/account.ts';

export interface Deps extends AdapterContext {
  mailer: MailerClient;
  mailboxes: Mailboxes;
  /** The installation's own account, for tenants without one, and its daily limit for each of them. */
  mailerAccount: InstallationsAccount;
  /** Wakes the reading of mails' documents, because new ones may be due. */
  wakeMailReading: () => void;
}
