/** What is wrong with a tenant, in words, by the kind that the API tells. */
export const problemWords: Readonly<Record<string, string>> = {
  registrationsFailed: 'a channel that could not be registered',
  deadLetters: 'a message that could not be answered',
  repliesFailed: 'a reply that did not arrive',
  keysInvalid: 'an invalid key',
  quotaExceeded: 'a used up quota',
  adminsKeptAfterLeaving: 'an admin who has left',
  workHeld: 'work that is held',
};
