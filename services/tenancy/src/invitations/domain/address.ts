/**
 * An address as invitations compare it: trimmed, and with the letters A to Z in small. Others stay: none of them is one
 * of these.
 */
export const normalizeAddress = (email: string): string =>
  email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
