import type { Database } from '@botyard/shared/db/database';
import type { Deps as PlatformsDeps } from '../platforms/deps.ts';

export interface Deps extends PlatformsDeps {
  /** Reads the catalogue of all schemas with a login that is limited to it; `null` without such a login. */
  reader: Database | null;
}
