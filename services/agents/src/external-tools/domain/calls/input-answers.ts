import type { InputField, InputForm, Inputs, InputValue } from '@botyard/contracts/http/integrations-inputs';

/** A fault of an answer, and where it is. */
interface AnswerFault {
  path: PropertyKey[];
  message: string;
}

/** The faults of answers to these forms. Only what a form asks may be answered. */
export function faultsOfAnswers(forms: readonly InputForm[], inputs: Inputs): AnswerFault[] {
  const keys = new Set(forms.map(({ key }) => key));
  const unknownForms = Object.keys(inputs).filter((key) => !keys.has(key));
  return [
    ...unknownForms.map((key) => ({ path: ['inputs', key], message: 'there is no such form' })),
    ...forms.flatMap((form) => faultsOfForm(form, ownValue(inputs, form.key) ?? {})),
  ];
}

function faultsOfForm({ key, fields }: InputForm, values: Record<string, InputValue>): AnswerFault[] {
  const names = new Set(fields.map(({ name }) => name));
  const unknownFields = Object.keys(values).filter((name) => !names.has(name));
  const faults = fields.flatMap((field) => {
    const message = faultOf(field, ownValue(values, field.name));
    return message === undefined ? [] : [{ path: ['inputs', key, field.name], message }];
  });
  return [
    ...unknownFields.map((name) => ({ path: ['inputs', key, name], message: 'there is no such field' })),
    ...faults,
  ];
}

function faultOf(field: InputField, value: InputValue | undefined): string | undefined {
  if (value === undefined) return field.isRequired ? 'it is required' : undefined;
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? faultOfText(field, value) : 'it has to be a text';
    case 'number':
    case 'integer': {
      if (typeof value !== 'number') return 'it has to be a number';
      if (field.kind === 'integer' && !Number.isInteger(value)) return 'it has to be a whole number';
      return faultOfSize(field, value);
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'it has to be yes or no';
    case 'choice':
      return isOption(field, value) ? undefined : 'it is none of the choices';
    case 'choices': {
      const isFine = Array.isArray(value) && value.every((one) => isOption(field, one));
      if (!isFine) return 'it has values that are none of the choices';
      return new Set(value).size < value.length ? 'it has a choice twice' : faultOfSize(field, value.length);
    }
  }
}

function faultOfText(field: InputField, value: string): string | undefined {
  const pattern = field.format && patterns[field.format];
  if (pattern && !pattern.test(value)) return `it has to be of the format ${field.format}`;
  return faultOfSize(field, [...value].length);
}

/** The form of each format; the server checks the rest. */
const patterns: Readonly<Record<NonNullable<InputField['format']>, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/,
};

function faultOfSize({ min, max }: InputField, size: number): string | undefined {
  if (min !== null && size < min) return `it has to be at least ${min}`;
  return max !== null && size > max ? `it may be at most ${max}` : undefined;
}

const isOption = ({ options }: InputField, value: unknown): boolean =>
  options.some((option) => option.value === value);

/** A value under a name that a stranger chose. */
const ownValue = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** The answers as the protocol wants them. Forms that the person left empty are accepted, too. */
export const responsesTo = (forms: readonly InputForm[], inputs: Inputs): Record<string, unknown> =>
  Object.fromEntries(
    forms.map(({ key }) => [key, { action: 'accept', content: ownValue(inputs, key) ?? {} }]),
  );
