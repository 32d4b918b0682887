import type {
  ServerTool,
  ServerToolDifference,
  ServerToolParameter,
  ServerToolState,
} from '@botyard/contracts/http/integrations-server-tools';
import { visibleJson, visibleProse } from '@botyard/shared/words/visible';
import type { ServerToolRow } from '../store/server-tools.ts';
import { definitionFields, readDefinition, type ToolDefinition } from './definition.ts';

/** A tool is what an admin saw: any other definition is off. */
export function stateOf({ refusal, pin, decidedPin, isAllowed }: ServerToolRow): ServerToolState {
  if (refusal !== null) return 'refused';
  if (decidedPin !== null && decidedPin !== pin) return 'changed';
  return decidedPin !== null && isAllowed ? 'allowed' : 'new';
}

/** A tool for clients. Texts of the server have no hidden characters. */
export function toServerTool(row: ServerToolRow): ServerTool {
  const { name, pin, refusal, readsOnly, repeatable, definition, decidedDefinition } = row;
  const state = stateOf(row);
  const now = definition === '' ? undefined : readDefinition(definition);
  const before = decidedDefinition === null ? undefined : readDefinition(decidedDefinition);
  return {
    name,
    pin,
    refusal,
    readsOnly,
    repeatable,
    state,
    title: shown(now?.title),
    description: shown(now?.description),
    isAllowed: state === 'allowed',
    ...(now && state === 'allowed' ? { parameters: parametersOf(now) } : {}),
    ...(now && row.decidedPin !== pin ? { difference: differenceOf(before, now) } : {}),
  };
}

const maxParameters = 50;
/** Other names could look like something else in a form. */
const plainName = /^[\w$.-]{1,128}$/;
const plainTypes = ['string', 'number', 'integer', 'boolean'] as const;

/** The arguments by the schema of the server, whose parts may have any form. */
function parametersOf({ inputSchema }: ToolDefinition): ServerToolParameter[] {
  const properties = Object(inputSchema.properties) as Record<string, unknown>;
  const required: unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  return Object.keys(properties)
    .filter((name) => plainName.test(name))
    .slice(0, maxParameters)
    .map((name) => ({
      name,
      type: plainTypes.find((type) => type === Object(properties[name]).type) ?? null,
      isRequired: required.includes(name),
    }));
}

function differenceOf(before: ToolDefinition | undefined, after: ToolDefinition): ServerToolDifference[] {
  return definitionFields
    .map((field) => ({ field, before: shown(before?.[field]), after: shown(after[field]) }))
    .filter((change) => change.before !== change.after);
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? visibleProse(value) : visibleJson(value);
}
