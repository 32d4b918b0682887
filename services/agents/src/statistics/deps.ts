import type { UsageClient } from '../clients/usage.ts';
import type { Deps as DefinitionsDeps } from '../definitions/deps.ts';
import type { ModelLists } from '../models/domain/model-lists.ts';
import type { Deps as RoutingDeps } from '../routing/deps.ts';

export type Deps = DefinitionsDeps & RoutingDeps & { usage: UsageClient; modelLists: ModelLists };
