import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Platforms } from '../platforms/platform.ts';

export interface Deps extends Pick<Foundation, 'outbox'> {
  platforms: Platforms;
  /** Wakes the sender of a platform, because replies may be waiting. */
  wakeSender: (platform: PlatformName) => void;
}
