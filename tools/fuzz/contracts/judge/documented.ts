import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Operation, openapi, type Schema } from '../operations.ts';
import type { MadeCall } from '../planned-call.ts';

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: (text: string) => URL.canParse(text),
  email: /^[^\s@]+@[^\s@]+$/,
};

/** The published schemas, checked by independent code. */
const ajv = new Ajv2020({ strict: false, formats });
ajv.addSchema(openapi, 'openapi.json');
const compiled = new WeakMap<Schema, ValidateFunction>();

function validatorOf(schema: Schema): ValidateFunction {
  const cachedCheck = compiled.get(schema);
  if (cachedCheck) return cachedCheck;
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi.json#/components/');
  const validate = ajv.compile(JSON.parse(text) as Schema);
  compiled.set(schema, validate);
  return validate;
}

/** Returns the part of a response that violates the published document, or `undefined` if there is none. */
export function undocumented({ responses }: Operation, { status, json, text }: MadeCall): string | undefined {
  const schema = responses.get(status);
  if (schema === undefined) return `the status ${status} is not documented: ${text.slice(0, 200)}`;
  if (schema === null) {
    const isEmpty = text === '' || status < 300;
    return isEmpty ? undefined : `${status} has a body that is not documented`;
  }
  const validate = validatorOf(schema);
  if (validate(json)) return undefined;
  return `${status} does not follow its schema: ${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`;
}
