import type { Deps as MediaDeps } from '../media/deps.ts';
import type { Deps as PlatformsMailgunDeps } from '../platforms/mailgun/deps.ts';
import type { Platforms } from '../platforms/platform.ts';

export interface Deps extends MediaDeps, PlatformsMailgunDeps {
  platforms: Platforms;
}
