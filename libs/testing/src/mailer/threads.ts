/** Mail in people's mail programs, in threads by the headers, and the automatic replies of their servers. */
import type { MailEntry, WrittenMail } from './types.ts';

const maxEntries = 2000;

export class MailThreads {
  #entries: MailEntry[] = [];

  get all(): readonly MailEntry[] {
    return this.#entries;
  }

  /** A repeated Message-Id is the same mail. Its thread is that of the nearest mail that it references. */
  add(mail: Omit<MailEntry, 'entryId' | 'threadId' | 'copies' | 'at'>): MailEntry {
    const storedEntry = this.#entries.find((one) => one.messageId === mail.messageId && one.to === mail.to);
    if (storedEntry !== undefined) {
      storedEntry.copies += 1;
      return storedEntry;
    }
    const entryId = (this.#entries.at(-1)?.entryId ?? 0) + 1;
    const threadId = this.#threadOf(mail.headers) ?? `t${entryId}`;
    const entry: MailEntry = { ...mail, entryId, threadId, at: new Date().toISOString(), copies: 1 };
    this.#entries.push(entry);
    if (this.#entries.length > maxEntries) this.#entries.shift();
    return entry;
  }

  find(entryId: number): MailEntry | undefined {
    return this.#entries.find((entry) => entry.entryId === entryId);
  }

  load(entries: MailEntry[]): void {
    this.#entries = entries;
  }

  #threadOf(headers: Record<string, string>): string | undefined {
    const named = `${headers.References ?? ''} ${headers['In-Reply-To'] ?? ''}`.match(/<[^<>\s]+>/g) ?? [];
    for (const messageId of named.reverse()) {
      const entry = this.#entries.find((one) => one.messageId === messageId);
      if (entry !== undefined) return entry.threadId;
    }
    return undefined;
  }
}

/** The headers that make a mail a reply to this one. */
export function answering(entry: MailEntry): Pick<WrittenMail, 'inReplyTo' | 'references'> {
  const before = (entry.headers.References ?? '').match(/<[^<>\s]+>/g) ?? [];
  return { inReplyTo: entry.messageId, references: [...before, entry.messageId] };
}

/** A mail server's bounce for an unknown address. */
export function bounceOf(entry: MailEntry, reason: string): WrittenMail {
  const domain = entry.to.split('@').at(-1) ?? 'sandbox.test';
  return {
    from: { name: 'Mail Delivery System', address: `mailer-daemon@${domain}` },
    sender: '',
    to: entry.from.address,
    subject: 'Undelivered Mail Returned to Sender',
    text: [
      `This is the mail system at host ${domain}.`,
      '',
      `<${entry.to}>: ${reason}`,
      '',
      `Final-Recipient: rfc822; ${entry.to}`,
      'Action: failed',
      'Status: 5.1.1',
      `Diagnostic-Code: smtp; ${reason}`,
    ].join('\r\n'),
    ...answering(entry),
    headers: [
      ['Auto-Submitted', 'auto-replied'],
      ['Content-Type', 'multipart/report; report-type=delivery-status; boundary="report"'],
      ['X-Failed-Recipients', entry.to],
    ],
  };
}

/** A mail program's automatic reply while its person is away. */
export function autoReplyOf(entry: MailEntry, name: string): WrittenMail {
  return {
    from: { name, address: entry.to },
    to: entry.headers['Reply-To'] ?? entry.from.address,
    subject: `Automatic reply: ${entry.subject}`,
    text: 'I am away until Monday and read no mail.',
    ...answering(entry),
    headers: [
      ['Auto-Submitted', 'auto-replied'],
      ['X-Auto-Response-Suppress', 'All'],
      ['Precedence', 'auto_reply'],
    ],
  };
}
