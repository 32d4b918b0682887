/** A tenant's problems in words, by the API's kinds. */
export const problemWords: Readonly<Record<string, string>> = {
  registrationsFailed: 'a channel that could not be registered',
  deadLetters: 'a message that could not be answered',
  repliesFailed: 'a reply that did not arrive',
  keysInvalid: 'an invalid key',
  quotaExceeded: 'a used up quota',
  adminsKeptAfterLeaving: 'an admin who has left',
  workHeld: 'work that is held',
};
