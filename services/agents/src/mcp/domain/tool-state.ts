import type {
  ServerTool,
  ServerToolDifference,
  ServerToolState,
} from '@botyard/contracts/http/integrations-servers';
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
    ...(now && row.decidedPin !== pin ? { difference: differenceOf(before, now) } : {}),
  };
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
