import type { Deps as PeopleDeps } from '../people/deps.ts';

export interface Deps extends PeopleDeps {
  /** The console's address for people, with which links in mails begin. */
  publicBaseUrl: string;
}
