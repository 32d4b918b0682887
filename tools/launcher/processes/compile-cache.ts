import { join } from 'node:path';

/** Where the code that Node has compiled is kept: with the packages, so that it serves every data folder. */
export const compileCacheIn = (root: string): string => join(root, 'node_modules/.cache/compile');
