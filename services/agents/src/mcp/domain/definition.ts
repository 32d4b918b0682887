import { createHash } from 'node:crypto';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import { visibleProse } from '@botyard/shared/words/visible';
import canonicalize from 'canonicalize';
import { refusalOfSchema } from './schema-bounds.ts';

/** A tool as its server lists it. */
export interface ListedTool {
  name: string;
  /** In canonical form (RFC 8785); empty if the tool is refused. */
  definition: string;
  /** SHA-256 of the definition; empty if the tool is refused. */
  pin: string;
  refusal: string | null;
}

/** The parts of a definition. Everything else that a server lists, such as icons, is left out. */
export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

export const definitionFields = [
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
] as const;

const acceptedName = /^[A-Za-z0-9_.-]{1,128}$/;
const maxDefinitionBytes = 32 * 1024;
const definitionBounds = { maxValues: maxDefinitionBytes, maxDepth: 64 };
const maxShownName = 100;

/** Pins a tool of a server's list. Nothing of it is trusted. */
export function pinTool(listed: unknown): ListedTool {
  const fields = Object(listed) as Record<string, unknown>;
  const name = typeof fields.name === 'string' ? fields.name : '';
  if (!acceptedName.test(name))
    return refusedTool(shownName(name), 'its name is not 1 to 128 of A-Za-z0-9_.-');
  const reason = reasonToRefuse(fields);
  if (reason) return refusedTool(name, reason);
  const definition = canonicalOf({ ...fields, name });
  if (definition === undefined) return refusedTool(name, 'its definition is not valid JSON');
  if (Buffer.byteLength(definition) > maxDefinitionBytes)
    return refusedTool(name, 'its definition is longer than 32 KiB');
  return { name, definition, pin: pinOf(definition), refusal: null };
}

export const readDefinition = (definition: string): ToolDefinition =>
  parseForeignJson(definition, definitionBounds) as ToolDefinition;

const refusedTool = (name: string, refusal: string): ListedTool => ({
  name,
  definition: '',
  pin: '',
  refusal,
});

/** Ends with a character that no accepted name has, so that it is never taken for one. */
const shownName = (name: string): string =>
  `${visibleProse(name.slice(0, maxShownName)).slice(0, maxShownName)}…`;

const pinOf = (definition: string): string => createHash('sha256').update(definition, 'utf8').digest('hex');

function reasonToRefuse({
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Record<string, unknown>) {
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  if (!isText(title) || !isText(description)) return 'its title or description is no text';
  if (annotations !== undefined && !isObject(annotations)) return 'its annotations are no object';
  if (!isObject(inputSchema) || inputSchema.type !== 'object') return 'its arguments are no object';
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'the schema of its results is no object';
  return refusalOfSchema(inputSchema) ?? refusalOfSchema(outputSchema) ?? refusalOfSchema(annotations);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function canonicalOf(fields: Record<string, unknown>): string | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = fields;
  try {
    return canonicalize({ name, title, description, inputSchema, outputSchema, annotations });
  } catch {
    return undefined;
  }
}
