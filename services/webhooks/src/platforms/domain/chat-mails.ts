import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import type { PeopleErasure } from './people-records.ts';

/** A private chat of one person at a platform. */
export interface PrivateChat {
  tenantId: string;
  botId: string;
  platform: PlatformName;
  platformChatId: string;
}

/** The answers that a person has missed in their chat, as one mail. */
export interface MissedAnswers {
  markdown: string;
  isByStaff: boolean;
  language: string | null;
}

/** A message that the person of a chat wrote in a mail. */
export interface WrittenByMail {
  tenantId: string;
  platform: PlatformName;
  platformChatId: string;
  messageId: string;
  text: string;
}

/**
 * Continues private chats by mail. An address gets nothing of a chat before the link that was sent to it was opened,
 * and a chat has at most one such address.
 */
export interface ChatMails {
  /** Whether mails of the bot are sent at all. @throws HttpError 503. */
  canMail(bot: Pick<PrivateChat, 'tenantId' | 'botId'>): Promise<boolean>;
  /**
   * Sends a link to the address, within all limits. Doesn't say whether it did, so that nobody learns anything about an
   * address. @throws HttpError 503.
   */
  requestLink(chat: PrivateChat, to: { address: string; language: string | null }): Promise<void>;
  /** Whether the answers of a chat go to an address. */
  hasAddress(tx: TenantTx, chat: Pick<PrivateChat, 'tenantId' | 'platformChatId'>): Promise<boolean>;
  /**
   * Queues a mail to the address of a chat, if there is one and `claim` resolves with `true`; `claim` runs in the same
   * transaction. @throws TaskError when too many texts wait to be formatted.
   */
  mail(chat: PrivateChat, missed: MissedAnswers, claim: (tx: TenantTx) => Promise<boolean>): Promise<void>;
  /** Separates a chat from its address, and from the links that were sent for it. */
  end(tx: TenantTx, chat: Pick<PrivateChat, 'tenantId' | 'platformChatId'>): Promise<void>;
  /** Erases mails of these chats, the erasure's `platformUserIds`. `false` when the time ran out. */
  erase(erasure: PeopleErasure): Promise<boolean>;
  /** Erases what leads to those mails. */
  forget(erasure: PeopleErasure): Promise<void>;
}
