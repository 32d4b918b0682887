import type { specMigrationRouter } from '@botyard/contracts/http/spec-migration';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { executeRoutes, previewRoutes } from '../domain/migration/migrate.ts';

export const specMigrationHandlers: Handlers<typeof specMigrationRouter, Deps> = {
  previewSpecRoutes: ({ query }, deps) => previewRoutes(deps, query),
  executeSpecRoutes: ({ body }, deps) => executeRoutes(deps, body.limit),
};
