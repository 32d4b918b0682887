import type { RecordType } from '@botyard/contracts/http/app-record-types';
import type { AppAgent } from '@botyard/contracts/http/app-spec';
import { withTenant } from '@botyard/shared/db/database';
import type { Said } from '@botyard/shared/db/erased-people';
import { HttpError } from '@botyard/shared/http/errors';
import { z } from 'zod';
import { isOfErased } from '../../conversations/domain/said-by-erased.ts';
import type { BoundApp } from '../../routing/store/bound-apps.ts';
import type { GivenTool } from '../../tools/domain/equipment.ts';
import { faultsOf } from '../../tools/domain/run-tool.ts';
import type { ToolDeps, ToolResult } from '../../tools/domain/tool.ts';
import { ToolError } from '../../tools/domain/tool-error.ts';
import { listRecords, lockRecord, type RecordRow, updateRecord } from '../store/records.ts';
import { folded, type RecordValues, searchTextOf, shapeOf } from './record-shape.ts';
import { saveRecord } from './records.ts';

/** A turn that saves or reads records. */
interface RecordedTurn {
  tenantId: string;
  app: BoundApp;
  agentId: string;
  /** The first message of the turn: the same in every attempt. */
  messageId: string;
  /** `null` if several people wrote the turn. Then no earlier records of one person are shown. */
  personId: string | null;
  /** The answered messages, and their times. */
  said: readonly Said[];
}

const maxFound = 10;

/** The tools that an app gives its agent, with exactly the fields of its records. */
export function recordTools(deps: ToolDeps, turn: RecordedTurn, agent: AppAgent): GivenTool[] {
  const typesFor = (what: 'save' | 'find') =>
    turn.app.spec.recordTypes.filter(({ name }) =>
      agent.records.some(({ type, may }) => type === name && may.includes(what)),
    );
  const [saved, found] = [typesFor('save'), typesFor('find')];
  return [
    ...(saved.length > 0 ? [saveTool(deps, turn, saved)] : []),
    ...(found.length > 0 ? [findTool(deps, turn, found)] : []),
  ];
}

function saveTool(deps: ToolDeps, turn: RecordedTurn, types: readonly RecordType[]): GivenTool {
  const shapes = types.map(shapeOf);
  const fields = shapes.length === 1 ? shapes[0]! : z.union(shapes);
  const parameters = z.strictObject({
    type: z.enum(namesOf(types)),
    fields,
    recordId: z
      .uuid()
      .optional()
      .describe('Only to change a record that find_records returned. Give all its fields again.'),
  });
  const counted = new Map<string, number>();
  return {
    toolId: null,
    kind: 'save_record',
    offered: offer('save_record', 'Saves what a person has told you, once all required fields are known.', {
      types,
      parameters,
    }),
    run: async (given) => {
      const { type, recordId } = read(z.strictObject({ ...parameters.shape, fields: z.unknown() }), given);
      const shape = shapes[types.findIndex(({ name }) => name === type)]!;
      const values = read(z.object({ fields: shape }), given).fields;
      // Counted before any wait, because the calls of one step run in parallel but start in this order.
      const count = (counted.get(type) ?? 0) + 1;
      counted.set(type, count);
      const row = recordId
        ? await changeOwn(deps, turn, { recordId, type, values })
        : await save(deps, turn, { type, values, originKey: `${turn.messageId}/${type}/${count}` });
      return { text: `Saved. recordId: ${row.recordId}` };
    },
  };
}

interface Saved {
  type: string;
  values: RecordValues;
}

async function save(
  { database }: ToolDeps,
  { tenantId, app, agentId, messageId, personId, said }: RecordedTurn,
  { type, values: fields, originKey }: Saved & { originKey: string },
): Promise<RecordRow> {
  const { botId, chatId } = app.place;
  const origin = { source: 'bot' as const, botId, agentId, chatId, personId, messageId, originKey };
  try {
    return await withTenant(database, [tenantId], async (tx) => {
      if (await isOfErased(tx, said)) throw new ToolError('refused', 'the data of this person was erased');
      return await saveRecord(tx, { tenantId, appId: app.appId }, { ...origin, type, fields });
    });
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    throw new ToolError('failed', 'it could not be saved: there is no more room', { cause: error });
  }
}

/** Changes a record only for its own person, in the same chat. */
async function changeOwn(
  { database }: ToolDeps,
  { tenantId, app, personId }: RecordedTurn,
  { recordId, type, values: fields }: Saved & { recordId: string },
): Promise<RecordRow> {
  return await withTenant(database, [tenantId], async (tx) => {
    const key = { tenantId, appId: app.appId, recordId: recordId.toLowerCase() };
    const record = await lockRecord(tx, key);
    const isOwn =
      record?.type === type &&
      record.source === 'bot' &&
      personId !== null &&
      record.personId === personId &&
      record.chatId === app.place.chatId;
    if (!isOwn) throw new ToolError('refused', 'this person has no such record here');
    return await updateRecord(tx, key, { fields, searchText: searchTextOf(fields) });
  });
}

function findTool(deps: ToolDeps, turn: RecordedTurn, types: readonly RecordType[]): GivenTool {
  const parameters = z.strictObject({
    type: z.enum(namesOf(types)),
    text: z.string().trim().min(1).max(200).optional().describe('A word or phrase that is in it.'),
  });
  return {
    toolId: null,
    kind: 'find_records',
    offered: offer('find_records', `Finds what was saved, the newest first, ${maxFound} at most.`, {
      types,
      parameters,
    }),
    run: async (given) => {
      const { type, text } = read(parameters, given);
      return await find(deps, turn, { type: types.find(({ name }) => name === type)!, text });
    },
  };
}

async function find(
  { database }: ToolDeps,
  { tenantId, app, personId }: RecordedTurn,
  { type, text }: { type: RecordType; text: string | undefined },
): Promise<ToolResult> {
  const isOfPerson = type.readableBy === 'person';
  if (isOfPerson && personId === null)
    throw new ToolError(
      'refused',
      'several people wrote at once: records of one of them are not shown to the others',
    );
  const key = { tenantId, appId: app.appId };
  const wanted = {
    type: type.name,
    limit: maxFound,
    ...(text === undefined ? {} : { search: folded(text).toWellFormed().replaceAll('\0', '') }),
    ...(isOfPerson ? { personId: personId ?? '' } : {}),
  };
  const rows = await withTenant(database, [tenantId], (tx) => listRecords(tx, key, wanted));
  if (rows.length === 0) return { text: 'Nothing was found.' };
  return { text: rows.slice(0, maxFound).map(recordText).join('\n\n') };
}

const recordText = ({ recordId, createdAt, fields }: RecordRow): string =>
  [
    `recordId: ${recordId}, saved at ${createdAt.toISOString()}`,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
  ].join('\n');

const namesOf = (types: readonly RecordType[]) => types.map(({ name }) => name) as [string, ...string[]];

function offer(
  name: string,
  purpose: string,
  { types, parameters }: { types: readonly RecordType[]; parameters: z.ZodType },
): GivenTool['offered'] {
  const about = types.map(
    (type) => `${type.name}: ${[type.label, type.description].filter(Boolean).join('. ')}`,
  );
  return {
    name,
    description: [purpose, ...about].join('\n'),
    parameters: z.toJSONSchema(parameters, { io: 'input', target: 'draft-7' }),
  };
}

/** @throws ToolError with a text for the model about the arguments that don't fit. */
function read<Shape extends z.ZodType>(shape: Shape, given: unknown): z.output<Shape> {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ToolError('refused', faultsOf(parsed.error.issues));
}
