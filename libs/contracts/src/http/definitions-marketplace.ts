import { z } from 'zod';
import { id, moment } from './common.ts';
import { route } from './contract.ts';
import { DefinitionKind } from './definitions-common.ts';
import { PageQuery } from './page.ts';
import { Provider } from './provider.ts';
import { ToolKind } from './tool-kinds.ts';

/**
 * A published version as others see it before they copy it. It names no tenant: outsiders never learn a tenant's name
 * or existence.
 */
export const MarketplaceItem = z
  .object({
    id: id.describe('What is copied: `POST /api/definitions/agents/:id/copy`, or as the kind is.'),
    kind: DefinitionKind,
    name: z.string(),
    description: z.string(),
    version: z
      .number()
      .int()
      .positive()
      .describe("Counts what was published of it, as the definition's own number."),
    publishedAt: moment,
    isOwn: z.boolean().describe('Whether the active tenant published it.'),
    runsOn: z
      .object({ provider: Provider, model: z.string() })
      .nullable()
      .describe('What an agent needs a key for.'),
    capabilities: z.array(z.string()).describe('Names of the capabilities that come along.'),
    tools: z
      .array(z.object({ name: z.string().describe('By which a model calls it.'), kind: ToolKind }))
      .describe('All tools that it has, or is, those of its capabilities too.'),
    hosts: z.array(z.string()).describe('Which hosts its tools may read from.'),
  })
  .meta({
    id: 'MarketplaceItem',
    description: 'A published version as everybody sees it before they copy it.',
  });
export type MarketplaceItem = z.output<typeof MarketplaceItem>;

export const MarketplaceQuery = PageQuery.extend({
  kind: DefinitionKind.optional().describe('Only these.'),
  query: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine((text) => !text.includes('\0'), 'must not contain the character U+0000')
    .optional()
    .describe(
      'Words of the name, the description or the keywords, or their beginnings; all have to be there.',
    ),
});

export const DefinitionsHealth = z
  .object({
    status: z.enum(['ok', 'degraded']),
    counts: z
      .object({
        agents: z.number().int(),
        capabilities: z.number().int().describe('How many capabilities there are.'),
        tools: z.number().int().describe('How many tools there are.'),
        published: z.number().int().describe('How many of all these are in the marketplace.'),
      })
      .describe('How much the tenant has defined.'),
    problems: z
      .array(
        z.object({
          kind: z.enum([...DefinitionKind.options, 'bot']),
          id,
          name: z.string(),
          problem: z.string().describe('What will not work, for people.'),
        }),
      )
      .describe('What will not work as it is defined; 100 at most.'),
  })
  .meta({ id: 'DefinitionsHealth', description: 'How much is defined, and what of it will not work.' });
export type DefinitionsHealth = z.output<typeof DefinitionsHealth>;

/** The part of `/api/definitions` about sharing, and about all kinds together. */
export const marketplaceRoutes = {
  listMarketplace: route({
    method: 'get',
    path: '/marketplace',
    access: 'member',
    summary: 'List what all tenants have published, what was published last first.',
    description: 'A page may be short of `limit`: the `Link` header says whether there is more.',
    query: MarketplaceQuery,
    response: z.array(MarketplaceItem),
    paged: true,
  }),
  getDefinitionsHealth: route({
    method: 'get',
    path: '/health',
    access: 'member',
    summary: "Whether the tenant's definitions fit together.",
    response: DefinitionsHealth,
  }),
};
