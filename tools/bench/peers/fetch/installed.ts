import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setting } from '../ready.ts';

/**
 * Loads a package of the peer that this process is. Its types are not installed, so each peer writes down those that it
 * uses.
 */
export const installed: (name: string) => unknown = createRequire(join(setting('PEER_HOME'), 'package.json'));
