import { createHash } from 'node:crypto';

/** The stored form of a state and of a browser's secret, in hex. Both are random, so that no key is needed. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
