type Mailbox = { address: string; name: string };

export type MailFile = { name: string; contentType: string; content: Buffer };

/** A mail from a person to a bot. */
export type WrittenMail = {
  from: Mailbox;
  to: string;
  subject: string;
  /** Absent if there is no plain text, for example with attachments only. */
  text?: string | undefined;
  html?: string | undefined;
  files?: MailFile[];
  /** Message-Ids with their angle brackets. */
  messageId?: string;
  inReplyTo?: string | undefined;
  references?: string[];
  /** The sender of the envelope; empty for a bounce. Defaults to the address of `from`. */
  sender?: string;
  /** In addition to the standard ones; a name may be repeated. */
  headers?: [name: string, value: string][];
  /** Headers that the mailer itself writes above its `Received`, such as results of SPF and DKIM. */
  results?: [name: string, value: string][];
};

/** Where mail to an address is posted, and the key that signs it; `undefined`: unsigned. */
export type MailRoute = { address: string; url: string; signingKey?: string | undefined };

export type MailAttempt = { at: number; status?: number; error?: string };

/** `rejected`: answered 406, which is final. `dropped`: all retries failed. `unrouted`: no route exists. */
type MailDeliveryState = 'queued' | 'retrying' | 'delivered' | 'rejected' | 'dropped' | 'unrouted';

export type MailDelivery = {
  mail: WrittenMail & { messageId: string };
  route: MailRoute | undefined;
  attempts: MailAttempt[];
  state: MailDeliveryState;
};

/** A mail of a thread as a person's mail program shows it. `in` goes to the bot, `out` comes from it. */
export type MailEntry = {
  entryId: number;
  threadId: string;
  direction: 'in' | 'out';
  from: Mailbox;
  to: string;
  subject: string;
  text: string;
  html: string | null;
  headers: Record<string, string>;
  messageId: string;
  files: { name: string; contentType: string; sizeBytes: number }[];
  at: string;
  /** How often the same Message-Id was sent; a mail program shows it once. */
  copies: number;
  delivery?: MailDeliveryState;
  attempts?: MailAttempt[];
};

export type MailerEvent = { type: 'mail' | 'delivery'; entry: MailEntry } | { type: 'route' };
