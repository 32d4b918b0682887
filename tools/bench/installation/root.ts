import { fileURLToPath } from 'node:url';

/** The project's own directory. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));
