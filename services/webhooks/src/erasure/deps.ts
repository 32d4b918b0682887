import type { Deps as MediaDeps } from '../media/deps.ts';
import type { Deps as PlatformsMailgunDeps } from '../platforms/mailgun/deps.ts';

export interface Deps extends MediaDeps, PlatformsMailgunDeps {}
