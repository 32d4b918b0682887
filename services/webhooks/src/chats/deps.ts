import type { Foundation } from '@botyard/shared/service/foundation';
import type { Platforms } from '../platforms/platform.ts';

export interface Deps extends Pick<Foundation, 'outbox'> {
  platforms: Platforms;
  /** Wakes the sender, because replies may be waiting. */
  wakeSender: () => void;
}
