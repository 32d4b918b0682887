/** Descriptions of a tenant's problems, by their kind in the API. */
export const problemWords: Readonly<Record<string, string>> = {
  registrationsFailed: 'channel registration failed',
  deadLetters: 'unanswered message',
  repliesFailed: 'undelivered reply',
  keysInvalid: 'invalid key',
  quotaExceeded: 'quota used up',
  adminsKeptAfterLeaving: 'admin removed at the identity provider',
  workHeld: 'delayed work',
};
