import { z } from 'zod';

const maxFieldsOfForm = 20;
const maxFormsAtOnce = 4;
const maxNameUnits = 100;

/** A field of a form: as much of the flat schemas of MCP as a person can fill in. */
export const InputField = z.object({
  name: z.string().describe('The name of the field in `inputs`.'),
  title: z.string().describe("The server's own words; hidden characters are written as `\\uXXXX`."),
  description: z.string().describe("The server's own words about the field; empty if there are none."),
  kind: z
    .enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices'])
    .describe('`choice`: one of the options. `choices`: several of them.'),
  isRequired: z.boolean().describe('Whether the field has to be filled in.'),
  options: z
    .array(
      z.object({
        value: z.string().describe('The value in `inputs`.'),
        title: z.string().describe("The server's own words for it."),
      }),
    )
    .describe('The values of a choice; empty for other fields.'),
  format: z
    .enum(['email', 'uri', 'date', 'date-time'])
    .nullable()
    .describe('The format of a text; `null` if there is none.'),
  min: z.number().nullable().describe('The least number, characters of a text, or choices.'),
  max: z.number().nullable().describe('The greatest number, characters of a text, or choices.'),
});
export type InputField = z.output<typeof InputField>;

export const InputForm = z.object({
  key: z.string().describe('The name of the form in `inputs`.'),
  message: z.string().describe("The server's own words; hidden characters are written as `\\uXXXX`."),
  fields: z.array(InputField).max(maxFieldsOfForm).describe('The fields, in their order.'),
});
export type InputForm = z.output<typeof InputForm>;

export const TicketInput = z
  .object({
    round: z.int().min(1).describe('How often the server has asked in this call.'),
    forms: z.array(InputForm).max(maxFormsAtOnce).describe('The forms to fill in.'),
  })
  .meta({
    id: 'TicketInput',
    description:
      'What the server of a tool asks before it goes on with a call. Everything in it is foreign data.',
  });

const InputValue = z.union([
  z.string().max(4000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(300)).max(50),
]);
export type InputValue = z.output<typeof InputValue>;

export const Inputs = z.record(
  z.string().max(maxNameUnits),
  z.record(z.string().max(maxNameUnits), InputValue),
);
export type Inputs = z.output<typeof Inputs>;
