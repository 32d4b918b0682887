import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { Platforms } from '../platforms/platform.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  platforms: Platforms;
  /** Prefix of links for people, who come back to it from the platform. */
  publicBaseUrl: string;
}
