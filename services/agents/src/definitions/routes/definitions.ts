import type { definitionsRouter } from '@botyard/contracts/http/definitions';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { agentVersionHandlers } from './agent-versions.ts';
import { agentDefinitionHandlers } from './agents.ts';
import { capabilityDefinitionHandlers } from './capabilities.ts';
import { marketplaceHandlers } from './marketplace.ts';
import { toolDefinitionHandlers } from './tools.ts';

export const definitionsHandlers: Handlers<typeof definitionsRouter, Deps> = {
  ...agentDefinitionHandlers,
  ...agentVersionHandlers,
  ...toolDefinitionHandlers,
  ...capabilityDefinitionHandlers,
  ...marketplaceHandlers,
};
