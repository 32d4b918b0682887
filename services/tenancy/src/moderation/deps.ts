import type { Deps as PoliciesDeps } from '../policies/deps.ts';

export type Deps = PoliciesDeps;
