import { integrationsRouter } from '@botyard/contracts/http/integrations';
import { integrationsAdminRouter } from '@botyard/contracts/http/integrations-admin';
import { toolServersRouter } from '@botyard/contracts/http/integrations-servers';
import { toolsRouter } from '@botyard/contracts/http/tools';
import { unavailable } from '@botyard/shared/http/errors';
import type { AppParts } from '@botyard/shared/service/foundation';
import type { Deps } from '../deps.ts';

type App = Parameters<NonNullable<AppParts<Deps>['mountMore']>>[0];

/**
 * While external tools are off, every path beneath their routers is 503, before any other check: of the caller, the
 * path, or the body (REQ-TOOL-1).
 */
export function refuseUnlessEnabled(app: App, isEnabled: boolean): void {
  if (isEnabled) return;
  for (const { basePath } of [toolsRouter, toolServersRouter, integrationsRouter, integrationsAdminRouter])
    app.use(basePath, (_req, _res, next) =>
      next(unavailable('external tools are switched off', { isExpected: true })),
    );
}
