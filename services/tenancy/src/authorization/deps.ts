import type { Deps as PeopleDeps } from '../people/deps.ts';
import type { Deps as PoliciesDeps } from '../policies/deps.ts';

export interface Deps extends PeopleDeps, PoliciesDeps {}
