import { sample } from 'openapi-sampler';
import { z } from 'zod';

/** Sample texts by property name, which replace the sampler's `string`. */
const words: Readonly<Record<string, string>> = {
  name: 'Support desk',
  title: 'Anna Keller',
  text: 'When do you open on Sunday?',
  description: 'Answers what customers ask about orders.',
  instructions: 'You help customers of a bookshop. Be brief.',
  email: 'anna@example.com',
  address: 'support@bots.example',
  reason: 'a provider refused the key',
  error: 'it is in use',
  model: 'default',
  username: 'anna_keller',
  idpUserId: 'user_2abcDEF',
  idpOrgId: 'org_2abcDEF',
  platformChatId: '5512345678',
  platformUserId: '5512345678',
  subject: 'user:01920000-0000-7000-8000-000000000001',
  relation: 'member',
  object: 'group:friends',
  createdBy: 'user_2abcDEF',
  collectionName: 'agents.messages',
  references: 'agents.archive_files',
};

/** Times that must be in the future. */
const moments: Readonly<Record<string, string>> = { until: '2099-12-31T12:00:00.000Z' };

/**
 * An example that the schema accepts: the schema's own first example, otherwise a generated one. @throws Error if no
 * valid example can be generated. The schema then needs `.meta({ examples: […] })`.
 */
export function exampleOf(schema: z.ZodType, io: 'input' | 'output', where: string): unknown {
  const own = schema.meta()?.examples as unknown[] | undefined;
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-7' });
  const made = sample(json as Parameters<typeof sample>[0], { skipReadOnly: false }, json);
  const candidates = [...(own ?? []), speaking(made), made];
  const example = candidates.find((candidate) => schema.safeParse(candidate).success);
  if (example === undefined)
    throw new Error(
      `${where}: no example can be made; give these schemas one with .meta({ examples: […] }): ${faultsOf(schema, made)}`,
    );
  return example;
}

/** Where the example is wrong, and why. */
const faultsOf = (schema: z.ZodType, made: unknown): string =>
  (schema.safeParse(made).error?.issues ?? [])
    .map(({ path, message }) => `${path.join('.') || 'the whole'} (${message})`)
    .join(', ');

/** Replaces the sampler's placeholder texts with meaningful ones. */
function speaking(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => speaking(item, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, speaking(inner, key)]));
  if (typeof value === 'number') return Math.abs(value) === Number.MAX_SAFE_INTEGER ? 1 : value;
  return value === 'string' || name in moments ? (words[name] ?? moments[name] ?? value) : value;
}
