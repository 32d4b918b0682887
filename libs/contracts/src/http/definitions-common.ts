import { z } from 'zod';
import { id, moment } from './common.ts';
import { SearchText, sortedPageQuery } from './sorted-page.ts';

export const DefinitionKind = z.enum(['agent', 'capability', 'tool']);
export type DefinitionKind = z.output<typeof DefinitionKind>;

/** Limits per tenant and kind. */
export const maxDefinitions: Readonly<Record<DefinitionKind, number>> = {
  agent: 500,
  capability: 200,
  tool: 200,
};

/** An agent has 128 tools at most (32 + 8 * 12), the number that model providers accept. */
export const maxToolsOfAgent = 32;
export const maxCapabilitiesOfAgent = 8;
export const maxToolsOfCapability = 12;

const version = z.number().int().positive();

/** Source of a copied definition; the copy doesn't follow later changes of it. */
export const CopyOrigin = z
  .object({
    definitionId: id.describe('What was copied: the definition itself, or the one that it came along with.'),
    version: version.describe('Which version of that was copied.'),
  })
  .meta({
    id: 'CopyOrigin',
    description: "Where a copied definition comes from; the copy doesn't change when that one does.",
  });
export type CopyOrigin = z.output<typeof CopyOrigin>;

/** The marketplace's view of a definition. */
const Publication = z
  .object({
    version: version.describe('The version that is published; later changes are not.'),
    publishedAt: moment,
  })
  .meta({ id: 'Publication', description: 'What the marketplace shows of a definition.' });

/** Fields of every definition. */
export const definitionFields = {
  id,
  tenantId: id,
  name: z.string(),
  description: z.string(),
  version: version.describe(
    'Grows with every change, and when it is published again after a change of what it is made of.',
  ),
  copiedFrom: CopyOrigin.nullable(),
  publication: Publication.nullable().describe('`null` while it is not in the marketplace.'),
  createdAt: moment,
  updatedAt: moment,
};

/** Distinct identifiers of things of the tenant. */
export const idsOf = (what: string, most: number) =>
  z
    .array(id)
    .max(most)
    .refine((ids) => new Set(ids).size === ids.length, `must not name a ${what} twice`);

export const keywords = z.array(z.string().trim().min(1).max(100)).max(100);

export const aboutPublishing =
  'The marketplace shows it as it is now, with all that it is made of, to every tenant; later changes show when it is ' +
  'published again, as a new version. Documents that a tool is bound to are left out. What looks like a key or a token, and ' +
  'what is too large, is 422.';
export const aboutWithdrawing = 'Copies stay. One that is not published stays as it is.';
export const aboutCopying =
  'The published version, or the own definition as it is when it is not published, with the tools and capabilities that it ' +
  'needs. Equal ones that the tenant has already are shared; a tool whose name is taken gets another one. The copy belongs ' +
  'to the active tenant and never changes by itself.';

export const definitionSorts = { createdAt: 'id', updatedAt: 'moment', name: 'text' } as const;

/** Filters and sorts of every list of definitions. */
export const listedDefinitions = <Filters extends z.ZodRawShape>(filters: Filters) =>
  sortedPageQuery(definitionSorts, {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe('A part of the name or the description, in any case.'),
      ...filters,
    },
  });
