import type { Deps as EndpointsDeps } from '../endpoints/deps.ts';
import type { Deps as MediaDeps } from '../media/deps.ts';
import type { Platforms } from '../platforms/platform.ts';

export interface Deps extends MediaDeps, EndpointsDeps {
  platforms: Platforms;
  /** Wakes the sender, because replies may be waiting. */
  wakeSender: () => void;
}
