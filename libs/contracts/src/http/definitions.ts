import { defineRouter } from './contract.ts';
import { agentDraftRoutes } from './definitions-agent-drafts.ts';
import { agentReleaseRoutes } from './definitions-agent-releases.ts';
import { agentVersionRoutes } from './definitions-agent-versions.ts';
import { agentDefinitionRoutes } from './definitions-agents.ts';
import { capabilityDefinitionRoutes } from './definitions-capabilities.ts';
import { marketplaceRoutes } from './definitions-marketplace.ts';
import { toolDefinitionRoutes } from './definitions-tools.ts';

export const definitionsRouter = defineRouter({
  basePath: '/api/definitions',
  service: 'agents',
  description:
    'Definitions of agents, of their tools, and of capabilities, which bundle tools with instructions. They ' +
    'belong to the active tenant. Definitions that a tenant publishes can be copied by other tenants.',
  routes: {
    ...agentDefinitionRoutes,
    ...agentVersionRoutes,
    ...agentDraftRoutes,
    ...agentReleaseRoutes,
    ...toolDefinitionRoutes,
    ...capabilityDefinitionRoutes,
    ...marketplaceRoutes,
  },
});
