import { z } from 'zod';
import { id, moment, versionInPath } from './common.ts';
import { route } from './contract.ts';
import { AgentDefinition } from './definitions-agents.ts';
import { pageQueryBy } from './page.ts';

/** Limits of an agent's kept versions: their number and total bytes. */
export const maxVersionsKept = 100;
export const maxBytesOfVersions = 5 * 1024 ** 2;

/** The content of an agent's version, which a rollback restores. */
export const AgentContent = AgentDefinition.pick({
  name: true,
  description: true,
  instructions: true,
  provider: true,
  model: true,
  keywords: true,
  toolIds: true,
  capabilityIds: true,
  keepsSummary: true,
  modelSettings: true,
});
export type AgentContent = z.output<typeof AgentContent>;

const version = z.number().int().positive();

export const AgentDefinitionVersion = z
  .object({
    version,
    createdAt: moment,
    createdBy: id.nullable().describe('The user; `null` where that is not known.'),
    restoredFrom: version.nullable().describe('Whose content it has, after a rollback.'),
    isCurrent: z.boolean(),
    changed: z
      .array(AgentContent.keyof())
      .describe(
        'The fields that differ from the version before. Empty in the first, and where only a part was changed.',
      ),
    definition: AgentContent.describe('What the agent was in this version.'),
  })
  .meta({ id: 'AgentDefinitionVersion', description: 'An agent as it was at one time, and who made it so.' });

/** The part of `/api/definitions` that is about versions of agents. */
export const agentVersionRoutes = {
  listAgentDefinitionVersions: route({
    method: 'get',
    path: '/agents/:id/versions',
    access: 'admin',
    summary: 'List the versions of an agent definition, the newest first.',
    description:
      `Each with its whole content, and the fields that differ from the one before. Versions never change. The newest ${maxVersionsKept} are ` +
      `kept, fewer when they have more than ${maxBytesOfVersions / 1024 ** 2} MiB together. Switching an agent on or off makes none.`,
    query: pageQueryBy(z.string().regex(/^\d{1,10}$/)),
    response: z.array(AgentDefinitionVersion),
    paged: true,
  }),
  restoreAgentDefinitionVersion: route({
    method: 'post',
    path: '/agents/:id/versions/:version/restore',
    access: 'admin',
    summary: 'Roll an agent definition back: make a new version with the content of an earlier one.',
    description:
      'It is an update, and refused as one: with 400 and `issues` when tools or capabilities that the version refers to are gone. The ' +
      'content that the definition has already makes no new version.',
    params: { version: versionInPath },
    response: AgentDefinition,
    errors: [404],
  }),
};
