import type { CallerDirectory } from '@botyard/shared/auth/caller';
import type { Deps as IdentityDeps } from '../identity/deps.ts';
import type { AccessStreams } from './domain/access-streams.ts';

export interface Deps extends IdentityDeps {
  callers: CallerDirectory;
  /** Streams of people's own reach. */
  accessStreams: Pick<AccessStreams, 'listen'>;
}
