import type { Foundation } from '@botyard/shared/service/foundation';

export interface Deps extends Foundation {
  /** The console's address for people, with which links in mails begin. */
  publicBaseUrl: string;
}
