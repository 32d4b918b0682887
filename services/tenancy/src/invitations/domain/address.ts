/**
 * An address in the form in which invitations compare it: trimmed, with A to Z in lower case. Other characters stay
 * unchanged, so that none of them becomes one of these letters.
 */
export const normalizeAddress = (email: string): string =>
  email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
