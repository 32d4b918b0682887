import { join } from 'node:path';
import { root } from '../../house/root.ts';

/** Peers are no part of the project: they lie outside of the repository and of its dependencies. */
export const peersHome = join(root, '.data', 'bench', 'peers');
