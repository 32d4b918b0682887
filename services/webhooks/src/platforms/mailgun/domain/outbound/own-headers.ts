import { domainOf } from '@botyard/shared/mail/domains';

/** Added to every mail that we send, with the bot's id. Mail that carries it is a loop and never answered. */
export const markerHeader = 'X-Botyard-Bot';

/**
 * The Message-Id of a reply, without brackets. It never changes, so that a reply that is sent twice is one mail for its
 * recipient.
 */
export const messageIdOfReply = (replyId: string, address: string): string =>
  `reply.${replyId}@${domainOf(address)}`;

/** The Message-Id of a mail that answers no message, such as the link to an unknown sender. */
export const messageIdOfMail = (mailId: string, address: string): string =>
  `mail.${mailId}@${domainOf(address)}`;
