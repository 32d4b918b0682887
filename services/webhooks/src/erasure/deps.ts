import type { Deps as EndpointsDeps } from '../endpoints/deps.ts';
import type { Deps as MediaDeps } from '../media/deps.ts';

export interface Deps extends MediaDeps, EndpointsDeps {}
