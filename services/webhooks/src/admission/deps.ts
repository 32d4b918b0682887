import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Database } from '@botyard/shared/db/database';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Counter } from 'prom-client';
import type { Endpoints } from '../endpoints/domain/endpoints.ts';
import type { Platforms } from '../platforms/platform.ts';
import type { Admission } from './domain/admission.ts';
import type { AmbientMessages } from './domain/ambient-messages.ts';

export interface Deps extends Foundation {
  /** A separate pool, so that no other work can delay a delivery (REQ-REL-9). */
  admissionDatabase: Database;
  admission: Admission;
  endpoints: Endpoints;
  ambientMessages: AmbientMessages;
  platforms: Platforms;
  deliveriesCounted: Counter<'verdict' | 'reason'>;
  /** Wakes the sender of a platform, because replies may be waiting. */
  wakeSender: (platform: PlatformName) => void;
  /** Wakes the fetching of files, because new ones may be due. */
  wakeMedia: () => void;
  /** Wakes the checks of integrations at their platforms. */
  wakeChecker: () => void;
  isProduction: boolean;
}
