import { z } from 'zod';
import { id, moment } from './common.ts';
import { member } from './contract.ts';
import { DefinitionKind } from './definitions-common.ts';
import { PageQuery } from './page.ts';
import { Provider } from './provider.ts';
import { ToolKind } from './tool-kinds.ts';

/** It doesn't name the tenant that published it, because tenants must not learn of one another's existence. */
export const MarketplaceItem = z
  .object({
    id: id.describe(
      'The identifier to copy the definition with, for example by `POST /api/definitions/agents/:id/copy`, ' +
        'depending on its kind.',
    ),
    kind: DefinitionKind,
    name: z.string(),
    description: z.string(),
    version: z.int().positive().describe('The version number of the definition that was published.'),
    publishedAt: moment,
    isOwn: z.boolean().describe('Whether the active tenant published it.'),
    runsOn: z
      .object({ provider: Provider, model: z.string() })
      .nullable()
      .describe('The provider and model for which an agent needs a key; `null` for other kinds.'),
    capabilities: z.array(z.string()).describe('The names of the capabilities that are copied along.'),
    tools: z
      .array(
        z.object({
          name: z.string().describe('The name by which the model calls the tool.'),
          kind: ToolKind,
        }),
      )
      .describe(
        'All tools of the definition, including those of its capabilities. For a tool, the tool itself.',
      ),
    hosts: z.array(z.string()).describe('The hosts that its tools may read from.'),
  })
  .meta({
    id: 'MarketplaceItem',
    description: 'A published version of a definition, as shown in the marketplace.',
  });
export type MarketplaceItem = z.output<typeof MarketplaceItem>;

export const MarketplaceQuery = PageQuery.extend({
  kind: DefinitionKind.optional().describe('Only definitions of this kind.'),
  query: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine((text) => !text.includes('\0'), 'must not contain the character U+0000')
    .optional()
    .describe(
      'Words, or beginnings of words, from the name, the description or the keywords. All of them must match.',
    ),
});

export const DefinitionsHealth = z
  .object({
    status: z.enum(['ok', 'degraded']),
    counts: z
      .object({
        agents: z.int(),
        capabilities: z.int().describe('The number of capabilities.'),
        tools: z.int().describe('The number of tools.'),
        published: z.int().describe('The number of definitions that are published in the marketplace.'),
      })
      .describe("The number of the tenant's definitions."),
    problems: z
      .array(
        z.object({
          kind: z.enum([...DefinitionKind.options, 'bot']),
          id,
          name: z.string(),
          problem: z.string().describe('A human-readable description of the problem.'),
        }),
      )
      .describe('Problems with definitions and bots, at most 100.'),
  })
  .meta({
    id: 'DefinitionsHealth',
    description: 'The number of definitions, and the problems found in them.',
  });
export type DefinitionsHealth = z.output<typeof DefinitionsHealth>;

/** The routes of `/api/definitions` for the marketplace, and for all kinds of definitions together. */
export const marketplaceRoutes = {
  listMarketplace: member.list('/marketplace', {
    summary: 'List the definitions published by all tenants, most recently published first.',
    description:
      'A page may have fewer than `limit` items. The `Link` header shows whether there is a next page.',
    query: MarketplaceQuery,
    response: z.array(MarketplaceItem),
  }),
  getDefinitionsHealth: member.get('/health', {
    summary: "Check whether the tenant's definitions are consistent.",
    response: DefinitionsHealth,
  }),
};
