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
const reservedCommands: readonly string[] = [
  'start',
  'help',
  'new',
  'reset',
  'stop',
  'agent',
  'connect',
  'disconnect',
];

const key = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,63}$/,
    'must start with a lowercase letter and have only lowercase letters, digits, _ and -, at most 64 characters',
  )
  .describe('The key by which other parts of the spec refer to this item. Unique within its list.');

const { kind, chatId, groupId, threadId } = whereFields;
/** The chats that a rule applies to. An omitted field matches all chats. */
export const placeFields = { platform: PlatformName.optional(), kind, chatId, groupId, threadId };

const RoutePlace = z
  .strictObject({
    ...placeFields,
    botId: id.optional().describe('Only this bot. The app must be bound to it.'),
  })
  .superRefine(refineWhere);

const language = languageTag.optional().describe('Only messages from people whose app uses this language.');

const RouteCondition = z
  .discriminatedUnion('match', [
    z.strictObject({
      match: z.literal('words'),
      words: z
        .array(plainText(100).toLowerCase())
        .min(1)
        .max(50)
        .describe(
          'Words or phrases, of which the message must contain at least one. Only whole words match, and case is ' +
            'ignored. Patterns are not supported.',
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
        .describe('The command without the slash: `book` for `/book`.'),
    }),
    z.strictObject({ match: z.literal('everything'), language }).describe('Matches every message.'),
    z
      .strictObject({ match: z.literal('default') })
      .describe(
        "Matches messages that nothing else matches. The conversation's current agent and matches by keywords " +
          'take precedence.',
      ),
  ])
  .meta({ id: 'RouteCondition', description: 'The messages that a route answers.' });

export const AppRoute = z.strictObject({
  name: key.describe('The name of the route, as shown in traces.'),
  agent: key.describe('The key of the agent in `agents` that answers.'),
  where: RoutePlace.default({}).describe(
    'The chats that the route applies to. If empty, it applies to all chats of the app.',
  ),
  when: RouteCondition,
  priority: z.int().min(-1000).max(1000).default(0),
});
export type AppRoute = z.output<typeof AppRoute>;

export const AppAgent = z.strictObject({
  key,
  agentId: id,
  capabilities: z
    .array(key)
    .max(8)
    .default([])
    .describe('Keys of capabilities that the agent has in this app, in addition to its own.'),
  records: z
    .array(
      z.strictObject({
        type: recordName.describe('The name of a record type in `recordTypes`.'),
        may: z
          .array(z.enum(['save', 'find']))
          .min(1)
          .max(2),
      }),
    )
    .max(maxRecordTypes)
    .default([])
    .describe(
      'The record types that the agent may save or look up, with the tools `save_record` and `find_records`.',
    ),
});
export type AppAgent = z.output<typeof AppAgent>;

const AppCapability = z.strictObject({ key, capabilityId: id });

/** The lists of a spec, with their item schemas and length limits. */
export const specLists = {
  agents: { item: AppAgent, most: 100 },
  capabilities: { item: AppCapability, most: 50 },
  recordTypes: { item: RecordType, most: maxRecordTypes },
  routes: { item: AppRoute, most: 200 },
} as const;

/** The complete definition of an app. References are checked when it is published. */
export const AppSpec = z
  .strictObject({
    specVersion: z.literal(1),
    agents: z
      .array(specLists.agents.item)
      .max(specLists.agents.most)
      .default([])
      .describe('The agents that answer in the app, at most 100.'),
    capabilities: z
      .array(specLists.capabilities.item)
      .max(specLists.capabilities.most)
      .default([])
      .describe('Capabilities that agents may be given in addition to their own, at most 50.'),
    recordTypes: z
      .array(specLists.recordTypes.item)
      .max(specLists.recordTypes.most)
      .default([])
      .describe('The types of records that the bots collect.'),
    routes: z
      .array(specLists.routes.item)
      .max(specLists.routes.most)
      .default([])
      .describe(
        'The routes. Among those that match, the one with the highest priority wins, then the one for the ' +
          'narrowest set of chats, then the first one.',
      ),
  })
  .meta({
    id: 'AppSpec',
    description:
      'The complete definition of an app: its agents, its routes and the records that it collects.',
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

export const appName = plainText(200);
