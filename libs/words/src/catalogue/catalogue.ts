import type { BotWordKey } from '@botyard/contracts/http/bot-words';

/**
 * Texts outside chats, where a bot has no texts of its own: in the menu of commands, to unknown senders of mail, and to
 * invited people.
 */
export type PlatformWordKey =
  | 'menu_start'
  | 'menu_help'
  | 'menu_new'
  | 'menu_stop'
  | 'mail_subject'
  | 'mail_hello'
  | 'mail_came'
  | 'mail_allow'
  | 'mail_alone'
  | 'mail_not_you'
  | 'mail_button'
  | 'chat_mail_subject'
  | 'chat_mail_came'
  | 'chat_mail_allow'
  | 'invite_subject'
  | 'invite_came'
  | 'invite_accept'
  | 'invite_end';

export type WordKey = BotWordKey | PlatformWordKey;

/** All texts in one language. Each is a message of Unicode MessageFormat 2. */
export type Catalogue = Readonly<Record<WordKey, string>>;
