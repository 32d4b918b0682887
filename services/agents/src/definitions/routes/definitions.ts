import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import type { definitionsRouter } from '@botyard/contracts/http/definitions';
import type { agentDraftRoutes } from '@botyard/contracts/http/definitions-agent-drafts';
import type { agentReleaseRoutes } from '@botyard/contracts/http/definitions-agent-releases';
import type { agentVersionRoutes } from '@botyard/contracts/http/definitions-agent-versions';
import type { marketplaceRoutes } from '@botyard/contracts/http/definitions-marketplace';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { discardDraft, goLive, saveDraft, showDraft } from '../domain/drafts.ts';
import { checkDefinitions } from '../domain/health.ts';
import { listMarketplace } from '../domain/publishing.ts';
import { listVersions, restoreVersion } from '../domain/versions.ts';
import { agentDefinitionHandlers } from './agents.ts';
import { capabilityDefinitionHandlers } from './capabilities.ts';
import { toDefinition, toVersion } from './shown.ts';
import { toolDefinitionHandlers } from './tools.ts';

/** The part of `/api/definitions` that is about versions of agents. */
const agentVersionHandlers: Handlers<Router<typeof agentVersionRoutes>, Deps> = {
  listAgentDefinitionVersions: async ({ tenantId, params: { id }, query }, deps) => {
    const { items, next } = await listVersions(deps, { tenantId, id }, query);
    return { items: items.map(toVersion), next };
  },

  restoreAgentDefinitionVersion: async ({ tenantId, params: { id, version }, body, caller }, deps) =>
    toDefinition(
      await restoreVersion(deps, {
        key: { tenantId, id },
        version: Number(version),
        by: caller.userId,
        overrideReason: body.overrideReason,
      }),
    ),
};

/** The part of `/api/definitions` that is about drafts of agents. */
const agentDraftHandlers: Handlers<Router<typeof agentDraftRoutes>, Deps> = {
  getAgentDraft: async ({ tenantId, params: { id } }, deps) =>
    withMoments(await showDraft(deps, { tenantId, id })),

  saveAgentDraft: async ({ tenantId, params: { id }, body: { base, ...fields }, caller }, deps) =>
    withMoments(await saveDraft(deps, { key: { tenantId, id }, by: caller.userId, base, fields })),

  discardAgentDraft: ({ tenantId, params: { id } }, deps) => discardDraft(deps, { tenantId, id }),

  makeAgentDraftLive: async ({ tenantId, params: { id }, body, caller }, deps) =>
    toDefinition(await goLive(deps, { key: { tenantId, id }, by: caller.userId, ...body })),
};

/** The part of `/api/definitions` about sharing, and about all kinds together. */
const marketplaceHandlers: Handlers<Router<typeof marketplaceRoutes>, Deps> = {
  listMarketplace: ({ tenantId, query }, { database }) => listMarketplace(database, tenantId, query),
  getDefinitionsHealth: ({ tenantId }, { database }) => checkDefinitions(database, tenantId),
};

/** Releases are a module of their own. */
export const definitionsHandlers: Omit<
  Handlers<typeof definitionsRouter, Deps>,
  keyof typeof agentReleaseRoutes
> = {
  ...agentDefinitionHandlers,
  ...agentVersionHandlers,
  ...agentDraftHandlers,
  ...toolDefinitionHandlers,
  ...capabilityDefinitionHandlers,
  ...marketplaceHandlers,
};
