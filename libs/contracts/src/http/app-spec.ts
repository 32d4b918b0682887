import { z } from 'zod';
import { maxRecordTypes, plainText, RecordType, recordName } from './app-record-types.ts';
import { languageTag, refineWhere, whereFields } from './bot-assignment.ts';
import { id } from './common.ts';
import { PlatformName } from './platform.ts';

/** Limits of a spec as JSON: its bytes, its depth, and its number of values (lists, objects and their contents). */
export const maxSpecBytes = 256 * 1024;
export const maxSpecDepth = 16;
export const maxSpecValues = 25_000;

/** Commands that Botyard answers itself, in every chat. */
const reservedCommands: readonly string[] = ['start', 'help', 'new', 'reset', 'stop', 'agent'];

const key = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,63}$/,
    'must begin with a small letter, then small letters, digits, _ or -, 64 in all',
  )
  .describe('By which other parts of the spec name it; unique among its like.');

const { kind, chatId, groupId, threadId } = whereFields;
/** Where a rule applies; an absent field applies everywhere. */
export const placeFields = { platform: PlatformName.optional(), kind, chatId, groupId, threadId };

const RoutePlace = z
  .strictObject({
    ...placeFields,
    botId: id.optional().describe('One of the bots that the app is bound to.'),
  })
  .superRefine(refineWhere);

const language = languageTag.optional().describe("Of the person's app.");

/** The messages that a route answers. */
const RouteCondition = z
  .discriminatedUnion('match', [
    z.strictObject({
      match: z.literal('words'),
      words: z
        .array(plainText(100).toLowerCase())
        .min(1)
        .max(50)
        .describe(
          'Words or phrases, whole and in any case: one of them is in the message. They are no patterns.',
        ),
      language,
    }),
    z.strictObject({
      match: z.literal('command'),
      command: z
        .string()
        .toLowerCase()
        .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be letters, digits or _, without the slash')
        .refine((command) => !reservedCommands.includes(command), 'Botyard answers this command itself')
        .describe('`book` for `/book`.'),
    }),
    z.strictObject({ match: z.literal('everything'), language }).describe('Whatever is said there.'),
    z
      .strictObject({ match: z.literal('default') })
      .describe('What nothing else speaks for: the agent of the conversation and words come before it.'),
  ])
  .meta({ id: 'RouteCondition', description: 'To what a route answers.' });

export const AppRoute = z.strictObject({
  name: key.describe('In traces.'),
  agent: key.describe('The key of one of the agents.'),
  where: RoutePlace.default({}).describe("The chats that the route is for. Empty: all of the app's."),
  when: RouteCondition,
  priority: z.number().int().min(-1000).max(1000).default(0),
});
export type AppRoute = z.output<typeof AppRoute>;

export const AppAgent = z.strictObject({
  key,
  agentId: id,
  capabilities: z
    .array(key)
    .max(8)
    .default([])
    .describe('Keys: what it is capable of in this app, beside its own.'),
  records: z
    .array(
      z.strictObject({
        type: recordName.describe('The name of a type of records.'),
        may: z
          .array(z.enum(['save', 'find']))
          .min(1)
          .max(2),
      }),
    )
    .max(maxRecordTypes)
    .default([])
    .describe('Types of records that it is given tools for: `save_record`, `find_records`.'),
});
export type AppAgent = z.output<typeof AppAgent>;

const AppCapability = z.strictObject({ key, capabilityId: id });

/** The lists of a spec, by name. */
export const specLists = {
  agents: { item: AppAgent, most: 100 },
  capabilities: { item: AppCapability, most: 50 },
  recordTypes: { item: RecordType, most: maxRecordTypes },
  routes: { item: AppRoute, most: 200 },
} as const;

/** A whole app: agents, routes, and the data that it collects. Its references are checked when it is published. */
export const AppSpec = z
  .strictObject({
    specVersion: z.literal(1),
    agents: z
      .array(specLists.agents.item)
      .max(specLists.agents.most)
      .default([])
      .describe('Who answers in the app, at most 100.'),
    capabilities: z
      .array(specLists.capabilities.item)
      .max(specLists.capabilities.most)
      .default([])
      .describe('What the agents may be given beside their own, at most 50.'),
    recordTypes: z
      .array(specLists.recordTypes.item)
      .max(specLists.recordTypes.most)
      .default([])
      .describe('What bots collect.'),
    routes: z
      .array(specLists.routes.item)
      .max(specLists.routes.most)
      .default([])
      .describe('The highest priority that holds counts, then the narrowest place, then the first.'),
  })
  .meta({
    id: 'AppSpec',
    description: 'An app, whole: who answers where and to what, and what is collected.',
  });
export type AppSpec = z.output<typeof AppSpec>;
export type AppSpecInput = z.input<typeof AppSpec>;

export const emptySpec: AppSpec = {
  specVersion: 1,
  agents: [],
  capabilities: [],
  recordTypes: [],
  routes: [],
};

/** The name of an app. */
export const appName = plainText(200);
