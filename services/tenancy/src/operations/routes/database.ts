import type { databaseRouter } from '@botyard/contracts/http/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { getCollection, getSchema, getStats, listCollections, listMigrations } from '../domain/catalogue.ts';
import { checkHealth } from '../domain/health-check.ts';

export const databaseHandlers: Handlers<typeof databaseRouter, Deps> = {
  getDatabaseStats: (_input, deps) => getStats(deps),

  listCollections: (_input, deps) => listCollections(deps),

  getCollection: ({ params }, deps) => getCollection(deps, params.collectionName),

  getDatabaseSchema: (_input, deps) => getSchema(deps),

  listMigrations: ({ query }, deps) => listMigrations(deps, query),

  checkDatabase: (_input, deps) => checkHealth(deps),
};
