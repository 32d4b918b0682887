import { defineRouter } from './contract.ts';
import { agentVersionRoutes } from './definitions-agent-versions.ts';
import { agentDefinitionRoutes } from './definitions-agents.ts';
import { capabilityDefinitionRoutes } from './definitions-capabilities.ts';
import { marketplaceRoutes } from './definitions-marketplace.ts';
import { toolDefinitionRoutes } from './definitions-tools.ts';

export const definitionsRouter = defineRouter({
  basePath: '/api/definitions',
  service: 'agents',
  description:
    'Definitions that bots are served by: agents, their tools, and capabilities that bundle tools with instructions. They ' +
    'belong to the active tenant; what a tenant publishes, others can copy.',
  routes: {
    ...agentDefinitionRoutes,
    ...agentVersionRoutes,
    ...toolDefinitionRoutes,
    ...capabilityDefinitionRoutes,
    ...marketplaceRoutes,
  },
});
