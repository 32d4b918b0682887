import { z } from 'zod';
import { id, moment, versionInPath } from './common.ts';
import { admin } from './contract.ts';
import { AgentDefinition } from './definitions-agents.ts';
import { CapabilityDefinition } from './definitions-capabilities.ts';
import { aboutRequiredTests, overrideReason } from './definitions-common.ts';
import { ToolDefinition } from './definitions-tools.ts';
import { pageQueryBy } from './page.ts';

/** Limits of an agent's stored versions: their number and their total bytes. */
export const maxVersionsKept = 100;
export const maxBytesOfVersions = 5 * 1024 ** 2;

/** The content of an agent version, which a rollback restores. */
export const AgentContent = AgentDefinition.pick({
  name: true,
  description: true,
  instructions: true,
  provider: true,
  model: true,
  keywords: true,
  toolIds: true,
  capabilityIds: true,
  serverIds: true,
  keepsSummary: true,
  modelSettings: true,
});
export type AgentContent = z.output<typeof AgentContent>;

/** Larger tools and capabilities of a version, as JSON, are not kept. */
export const maxBytesOfParts = 512 * 1024;

/** The tools and capabilities of an agent, whole. */
export const AgentParts = z
  .object({
    capabilities: z
      .array(
        CapabilityDefinition.pick({
          id: true,
          name: true,
          description: true,
          instructions: true,
          keywords: true,
          toolIds: true,
        }),
      )
      .describe('The capabilities, in the order of `capabilityIds`.'),
    tools: z
      .array(ToolDefinition.pick({ id: true, name: true, description: true, kind: true, settings: true }))
      .describe('The tools of the agent itself and of its capabilities.'),
  })
  .meta({ id: 'AgentParts', description: 'The definitions of the tools and capabilities of an agent.' });
export type AgentParts = z.output<typeof AgentParts>;

const version = z.int().positive();

const AgentDefinitionVersion = z
  .object({
    version,
    createdAt: moment,
    createdBy: id.nullable().describe('The user who created the version; `null` if unknown.'),
    restoredFrom: version
      .nullable()
      .describe(
        'The earlier version whose content was restored; `null` unless the version was created by a rollback.',
      ),
    isCurrent: z.boolean(),
    note: z.string().nullable().describe('What the person who made the draft live wrote about it.'),
    overrideReason: z
      .string()
      .nullable()
      .describe('Why it went live in spite of a failed check; `null` if no reason was needed.'),
    changed: z
      .array(AgentContent.keyof())
      .describe(
        'The fields that differ from the previous version. Empty for the first version, and if only a tool or ' +
          'capability of the agent was changed.',
      ),
    definition: AgentContent.describe('The content of the agent in this version.'),
    parts: AgentParts.nullable().describe(
      'Its tools and capabilities as they were in this version. `null` if they are not kept: the version is from ' +
        `before they were, or they exceed ${maxBytesOfParts / 1024} KiB.`,
    ),
    contentHash: z
      .string()
      .nullable()
      .describe(
        'SHA-256 of the content with its tools and capabilities in canonical form (RFC 8785), without their ' +
          'identifiers. Versions with the same hash are the same agent. `null` without `parts`.',
      ),
  })
  .meta({ id: 'AgentDefinitionVersion', description: 'A version of an agent definition, with its author.' });

/** The routes of `/api/definitions` for versions of agents. */
export const agentVersionRoutes = {
  listAgentDefinitionVersions: admin.list('/agents/:id/versions', {
    summary: 'List the versions of an agent definition, newest first.',
    description:
      'Each version includes its complete content with its tools and capabilities, and the fields that differ from ' +
      'the previous version. A change of a tool or capability creates a version of each agent that has it. ' +
      `Versions never change. The newest ${maxVersionsKept} are kept, or fewer if together they exceed ` +
      `${maxBytesOfVersions / 1024 ** 2} MiB. Enabling or disabling an agent creates no version.`,
    query: pageQueryBy(z.string().regex(/^\d{1,10}$/)).extend({
      until: z.coerce
        .number()
        .int()
        .positive()
        .max(2 ** 31 - 1)
        .optional()
        .describe('Only this version and earlier ones.'),
    }),
    response: z.array(AgentDefinitionVersion),
  }),
  restoreAgentDefinitionVersion: admin.post('/agents/:id/versions/:version/restore', {
    summary: 'Roll back an agent definition by creating a new version with the content of an earlier one.',
    description:
      'Its tools and capabilities become what they were in that version: deleted ones are created again, changed ones ' +
      'are changed back. One that other agents or apps have, too, is not changed: the agent gets a copy, whose name ' +
      'has a number if the name is taken. Returns 400 with `issues` if the version does not keep its tools and ' +
      'capabilities and one of them no longer exists, 409 if the tenant has no room for them, and 422 if a server ' +
      'does not exist. No version is created if the definition already has that content. ' +
      aboutRequiredTests,
    params: { version: versionInPath },
    body: z.object({ overrideReason }),
    response: AgentDefinition,
    errors: [404, 409, 422],
  }),
};
