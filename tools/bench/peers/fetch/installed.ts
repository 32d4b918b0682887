import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setting } from '../ready.ts';

/**
 * Loads a package of this process's peer. The package's types are not installed, so each peer declares the types that
 * it uses.
 */
export const installed: (name: string) => unknown = createRequire(join(setting('PEER_HOME'), 'package.json'));
