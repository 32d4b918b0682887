import type { Deps as AdmissionDeps } from '../admission/deps.ts';
import type { Deps as EndpointsDeps } from '../endpoints/deps.ts';

export interface Deps extends AdmissionDeps, EndpointsDeps {}
