import type { InputField, InputForm } from '@botyard/contracts/http/integrations-inputs';
import { visibleProse } from '@botyard/shared/words/visible';
import { isSecretName } from './arguments.ts';

/** The forms that a server asks to be filled in, or why they are not put to anybody. */
type ReadForms = { forms: InputForm[] } | { refusal: string };

const maxForms = 4;
const maxFields = 20;
const maxOptions = 50;
const maxNameUnits = 100;
const maxLabelUnits = 300;
const maxMessageUnits = 2000;
const maxTextUnits = 4000;

type Foreign = Record<string, unknown>;

/**
 * Reads what a server asks before it goes on: forms with flat fields, and nothing else. Addresses to open, questions to
 * a model, folders, and fields for secrets are refused, with the whole call.
 */
export function readForms(inputRequests: unknown): ReadForms {
  const requests = Object.entries(Object(inputRequests) as Foreign);
  if (requests.length === 0) return { refusal: 'the server asks for something that nobody can answer' };
  if (requests.length > maxForms) return { refusal: 'the server asks for too much at once' };
  const forms: InputForm[] = [];
  for (const [key, request] of requests) {
    const form = readForm(key, Object(request) as Foreign);
    if (typeof form === 'string') return { refusal: form };
    forms.push(form);
  }
  return { forms };
}

function readForm(key: string, { method, params }: Foreign): InputForm | string {
  const { mode = 'form', message, requestedSchema } = Object(params) as Foreign;
  const { type, properties, required } = Object(requestedSchema) as Foreign;
  if (method !== 'elicitation/create' || mode !== 'form' || type !== 'object' || key.length > maxNameUnits)
    return 'the server asks for something other than a form';
  const entries = Object.entries(Object(properties) as Foreign);
  if (entries.length > maxFields) return 'the server asks for too much at once';
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  const fields: InputField[] = [];
  for (const [name, schema] of entries) {
    const field = readField(name, Object(schema) as Foreign, requiredNames.has(name));
    if (!field) return 'the server asks for fields that are not understood';
    if (isForSecret(field)) return 'the server asks for a secret, and nobody is asked for one';
    fields.push(field);
  }
  return { key, message: shown(message, maxMessageUnits), fields };
}

const isForSecret = ({ name, title, description }: InputField): boolean =>
  [name, title, description].some(isSecretName);

/** `undefined` for a schema that isn't one of the protocol's flat ones. */
function readField(name: string, schema: Foreign, isRequired: boolean): InputField | undefined {
  if (name === '' || name.length > maxNameUnits) return undefined;
  const { type, title, description, format, items } = schema;
  const label = { name, isRequired, title: shown(title ?? name), description: shown(description) };
  const plain = { ...label, options: [], format: null };
  switch (type) {
    case 'string': {
      const options = optionsIn(schema);
      if (options === 'unreadable') return undefined;
      if (options) return { ...plain, kind: 'choice', options, min: null, max: null };
      const max = Math.min(numberIn(schema.maxLength) ?? maxTextUnits, maxTextUnits);
      return { ...plain, kind: 'text', format: formatIn(format), min: numberIn(schema.minLength), max };
    }
    case 'number':
    case 'integer':
      return { ...plain, kind: type, min: numberIn(schema.minimum), max: numberIn(schema.maximum) };
    case 'boolean':
      return { ...plain, kind: 'boolean', min: null, max: null };
    case 'array': {
      const options = optionsIn(Object(items) as Foreign);
      if (!options || options === 'unreadable') return undefined;
      const [min, max] = [numberIn(schema.minItems), numberIn(schema.maxItems)];
      return { ...plain, kind: 'choices', options, min, max };
    }
    default:
      return undefined;
  }
}

/** The values of an enumeration; `undefined` if it is none. */
function optionsIn({
  enum: values,
  enumNames,
  oneOf,
  anyOf,
}: Foreign): InputField['options'] | undefined | 'unreadable' {
  const titled = oneOf ?? anyOf;
  const names = Array.isArray(enumNames) ? enumNames : [];
  const pairs = Array.isArray(values)
    ? values.map((value, index) => [value, names[index] ?? value] as const)
    : Array.isArray(titled)
      ? titled.map((one) => [Object(one).const, Object(one).title ?? Object(one).const] as const)
      : undefined;
  if (!pairs) return undefined;
  const areTexts = pairs.every(([value]) => typeof value === 'string' && value.length <= maxLabelUnits);
  if (!areTexts || pairs.length === 0 || pairs.length > maxOptions) return 'unreadable';
  return pairs.map(([value, title]) => ({ value: value as string, title: shown(title) }));
}

const formats = ['email', 'uri', 'date', 'date-time'] as const;
const formatIn = (value: unknown): InputField['format'] => formats.find((format) => format === value) ?? null;

const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Text of the server with its hidden characters written out. */
const shown = (value: unknown, maxUnits = maxLabelUnits): string =>
  typeof value === 'string'
    ? visibleProse(value.slice(0, maxUnits).toWellFormed()).slice(0, maxUnits * 2)
    : '';
