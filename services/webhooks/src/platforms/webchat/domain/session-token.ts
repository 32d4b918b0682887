import { createHash, randomBytes } from 'node:crypto';

/** The token of a browser's session. It is never stored here, only its hash. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url');

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
