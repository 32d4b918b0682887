/**
 * In SQL: a Message-Id may name a person or their machine, so what has to be known for longer than the mail is known by
 * its hash.
 */
export const hashOfMessageId = (messageId: string): string =>
  `encode(sha256(convert_to(${messageId}, 'UTF8')), 'hex')`;
