import type { Deps as InstallationMailsDeps } from '../installation-mails/deps.ts';
import type { Deps as PeopleDeps } from '../people/deps.ts';

export type Deps = PeopleDeps & InstallationMailsDeps;
