import type { Deps as AppsDeps } from '../apps/deps.ts';
import type { Deps as ExternalToolsDeps } from '../external-tools/deps.ts';
import type { Deps as MediaDeps } from '../media/deps.ts';
import type { Deps as RoutingDeps } from '../routing/deps.ts';

export type Deps = AppsDeps & ExternalToolsDeps & MediaDeps & RoutingDeps;
