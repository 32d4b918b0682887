import type { Deps as FilesDeps } from '../files/deps.ts';
import type { Platforms } from '../platforms/platform.ts';

export interface Deps extends FilesDeps {
  platforms: Platforms;
}
