import { z } from 'zod';

export const ServerToolState = z.enum(['new', 'allowed', 'changed', 'refused']);
export type ServerToolState = z.output<typeof ServerToolState>;

const Difference = z
  .object({
    field: z
      .enum(['title', 'description', 'inputSchema', 'outputSchema', 'annotations'])
      .describe('The part of the definition.'),
    before: z.string().nullable().describe('As an admin last decided about it; `null` if it was not there.'),
    after: z.string().nullable().describe('As the server lists it now; `null` if it is no longer there.'),
  })
  .meta({
    id: 'ServerToolDifference',
    description: 'A difference of a definition, as it can be read safely.',
  });
export type ServerToolDifference = z.input<typeof Difference>;

export const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'must be the name of a tool of a server');
const pin = z
  .string()
  .describe(
    'SHA-256 of the definition: name, title, description, schemas and annotations. Empty if refused.',
  );
const decision = {
  isAllowed: z
    .boolean()
    .describe('Whether agents may get the tool. Always `false` for a definition not seen yet.'),
  readsOnly: z
    .boolean()
    .describe('Whether an admin says that the tool only reads, so that rules can allow it.'),
  repeatable: z.boolean().describe('Whether an admin says that a call may be made twice without harm.'),
};

const Parameter = z
  .object({
    name: z.string().describe('The name of the argument.'),
    type: z
      .enum(['string', 'number', 'integer', 'boolean'])
      .nullable()
      .describe('The kind of its values; `null` for any other JSON.'),
    isRequired: z.boolean().describe('Whether a call needs it.'),
  })
  .meta({ id: 'ServerToolParameter', description: 'An argument of a tool of an MCP server.' });
export type ServerToolParameter = z.input<typeof Parameter>;

export const ServerTool = z
  .object({
    name: z.string(),
    title: z.string().nullable().describe('The title that the server gives it.'),
    description: z.string().nullable().describe('The description that the server gives it.'),
    pin,
    ...decision,
    state: ServerToolState.describe(
      '`new`: not allowed. `changed`: its definition is no longer the one that an admin decided about, so it is off. ' +
        '`refused`: it can not be allowed.',
    ),
    parameters: z
      .array(Parameter)
      .optional()
      .describe('The first 50 arguments of an allowed tool, whose names are of letters, digits and `_$.-`.'),
    refusal: z.string().nullable().describe('Why the tool is refused; `null` otherwise.'),
    difference: z
      .array(Difference)
      .optional()
      .describe(
        'What an admin has not decided about yet. Control and bidirectional characters are written out.',
      ),
  })
  .meta({ id: 'ServerTool', description: 'A tool of an MCP server.' });
export type ServerTool = z.input<typeof ServerTool>;

export const PutServerToolBody = z
  .object({
    ...decision,
    readsOnly: decision.readsOnly.default(false),
    repeatable: decision.repeatable.default(false),
    pin: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a pin')
      .describe('The pin of the definition that the decision is about.'),
  })
  .meta({ examples: [{ isAllowed: true, readsOnly: true, repeatable: false, pin: '0'.repeat(64) }] });
export type PutServerToolBody = z.output<typeof PutServerToolBody>;

/** Bytes of the arguments of a trial. */
const maxTrialBytes = 32 * 1024;

export const TryServerToolBody = z
  .object({
    arguments: z
      .record(z.string(), z.unknown())
      .refine((value) => JSON.stringify(value).length <= maxTrialBytes, 'must be at most 32 KiB of JSON')
      .describe('The arguments of the call.'),
    pin: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be a pin')
      .describe('The pin of the definition that is tried.'),
    isConfirmed: z
      .boolean()
      .default(false)
      .describe('Whether the call may have an effect. Needed unless the tool only reads.'),
  })
  .meta({ examples: [{ arguments: { text: 'Hello' }, pin: '0'.repeat(64), isConfirmed: true }] });
export type TryServerToolBody = z.output<typeof TryServerToolBody>;

export const ServerToolTrial = z
  .object({
    outcome: z
      .enum(['succeeded', 'failed', 'uncertain'])
      .describe('`uncertain`: the call was sent, and there was no answer.'),
    text: z.string().describe('What a model would get: data from outside, each line marked.'),
    detail: z.string().nullable().describe('Why there is no result; `null` otherwise.'),
    tookMs: z.int().describe('The time that the call took.'),
  })
  .meta({ id: 'ServerToolTrial', description: 'A call of a tool that an admin tried.' });
export type ServerToolTrial = z.input<typeof ServerToolTrial>;
