import type { ListItem } from '@botyard/client/client';

export type TicketInput = NonNullable<ListItem<'/api/integrations/pending'>['input']>;
type InputForm = TicketInput['forms'][number];
export type InputField = InputForm['fields'][number];
type InputValue = string | number | boolean | string[];

/** The answers in a form whose fields are named by their places: `0.2` is the third field of the first form. */
export const readInputs = (
  forms: readonly InputForm[],
  values: Readonly<Record<string, string>>,
): Record<string, Record<string, InputValue>> =>
  Object.fromEntries(
    forms.map(({ key, fields }, index) => [
      key,
      Object.fromEntries(
        fields.flatMap((field, place) => {
          const value = answerIn(field, `${index}.${place}`, values);
          return value === undefined ? [] : [[field.name, value]];
        }),
      ),
    ]),
  );

/** `undefined` for a field that was left empty. */
function answerIn(
  { kind, options }: InputField,
  name: string,
  values: Readonly<Record<string, string>>,
): InputValue | undefined {
  if (kind === 'choices') {
    const chosen = options.filter((_option, index) => values[`${name}.${index}`] !== undefined);
    return chosen.length === 0 ? undefined : chosen.map(({ value }) => value);
  }
  const value = values[name] ?? '';
  if (value === '') return undefined;
  if (kind === 'boolean') return value === 'true';
  if (kind === 'choice') return options[Number(value)]?.value;
  return kind === 'text' ? value : Number(value);
}
