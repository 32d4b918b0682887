import { join } from 'node:path';

/** Node's compile cache. It is stored next to the packages, so all data directories share it. */
export const compileCacheIn = (root: string): string => join(root, 'node_modules/.cache/compile');
