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

/** These limits allow an agent at most 128 tools (32 + 8 * 12), the number that model providers accept. */
export const maxToolsOfAgent = 32;
export const maxCapabilitiesOfAgent = 8;
export const maxToolsOfCapability = 12;

const version = z.int().positive();

export const CopyOrigin = z
  .object({
    definitionId: id.describe(
      'The definition that was copied: the original of this one, or the definition that this one was copied along with.',
    ),
    version: version.describe('The version of that definition that was copied.'),
  })
  .meta({
    id: 'CopyOrigin',
    description: 'The origin of a copied definition. Later changes of the original do not affect the copy.',
  });
export type CopyOrigin = z.output<typeof CopyOrigin>;

const Publication = z
  .object({
    version: version.describe('The published version. Later changes are not published automatically.'),
    publishedAt: moment,
  })
  .meta({ id: 'Publication', description: 'The publication of a definition in the marketplace.' });

/** Fields of every definition. */
export const definitionFields = {
  id,
  tenantId: id,
  name: z.string(),
  description: z.string(),
  version: version.describe(
    "Version number. It increases with every change, an agent's also with every change of its tools and " +
      'capabilities, and when the definition is published again after a change to one of its parts.',
  ),
  copiedFrom: CopyOrigin.nullable(),
  publication: Publication.nullable().describe(
    'The publication in the marketplace; `null` if the definition is not published.',
  ),
  createdAt: moment,
  updatedAt: moment,
};

/** A list of distinct identifiers. */
export const idsOf = (what: string, most: number) =>
  z
    .array(id)
    .max(most)
    .refine((ids) => new Set(ids).size === ids.length, `must not name a ${what} twice`);

export const keywords = z.array(z.string().trim().min(1).max(100)).max(100);

export const aboutPublishing =
  'The marketplace shows the current state, including all parts, to every tenant. Later changes become ' +
  'visible when the definition is published again as a new version. Documents that a tool is bound to are ' +
  'not included. Returns 422 if the content is too large or contains anything that looks like a key or a ' +
  'token.';
export const aboutWithdrawing =
  'Existing copies are not affected. Has no effect if the definition is not published.';
export const aboutCopying =
  "Copies the published version, or the current state of one of the tenant's own definitions that is not " +
  'published, with the tools and capabilities that it needs. Identical tools and capabilities that the ' +
  'tenant already has are reused. A tool whose name is taken is renamed. The copy belongs to the active ' +
  'tenant and is not updated automatically.';

/** Why a change goes live in spite of the tests that the agent requires. */
export const overrideReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .optional()
  .describe(
    'Why it goes ahead in spite of the tests that the agent requires. The new version keeps it, and it is audited.',
  );

export const aboutRequiredTests =
  'Returns 409 with `issues` if the agent requires a test set and there is no finished run of it with exactly this ' +
  'content and without a regression: `cases/ID` for each failing case, `sets/ID` if a run is missing.';

export const definitionSorts = { createdAt: 'id', updatedAt: 'moment', name: 'text' } as const;

/** Filters and sort orders of the lists of definitions. */
export const listedDefinitions = <Filters extends z.ZodRawShape>(filters: Filters) =>
  sortedPageQuery(definitionSorts, {
    usual: '-createdAt',
    filters: {
      q: SearchText.optional().describe(
        'Only definitions whose name or description contains this text. Case is ignored.',
      ),
      ...filters,
    },
  });
