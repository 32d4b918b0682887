import { Choose } from '../../parts/controls.tsx';
import { Rows, Text, Tick } from './inputs.tsx';
import type { Spec, SpecField, SpecRecordType } from './spec.ts';

const kinds = [
  ['text', 'Text'],
  ['number', 'Number'],
  ['boolean', 'Yes or no'],
  ['date', 'Date'],
  ['time', 'Time of day'],
  ['choice', 'Choice'],
  ['email', 'Email address'],
  ['phone', 'Telephone number'],
  ['url', 'Link'],
] as const;

interface RecordTypesProps {
  spec: Spec;
  onChange: (spec: Spec) => void;
}

/** The kinds of records that bots collect, with their fields. */
export function SpecRecordTypes({ spec, onChange }: RecordTypesProps) {
  return (
    <Rows
      title="Record types"
      hint="What the bots write down, such as a ticket or an appointment."
      what="record type"
      most={20}
      items={spec.recordTypes}
      nameOf={({ label, name }) => label ?? name}
      onChange={(items) => onChange({ ...spec, recordTypes: items })}
      blank={() => newType(spec.recordTypes.length + 1)}
      of={(type, change) => (
        <>
          <div className="grid gap-3 md:grid-cols-2">
            <Text label="Name" value={type.name} onChange={(name) => change({ ...type, name })} />
            <Text
              label="Label"
              value={type.label ?? ''}
              onChange={(label) => change(withText(type, 'label', label))}
            />
            <Text
              label="When to save one"
              hint="Tells the model when."
              value={type.description ?? ''}
              onChange={(text) => change(withText(type, 'description', text))}
            />
            <Choose
              label="Through a bot it is found by"
              value={type.readableBy}
              options={[
                ['person', 'Only the person it came from'],
                ['everybody', 'Everybody whom the app serves'],
              ]}
              onChoose={(by) => change({ ...type, readableBy: by === 'everybody' ? by : 'person' })}
            />
          </div>
          <Rows
            title="Fields"
            hint="Each record has these."
            what="field"
            most={30}
            isOrdered
            items={type.fields}
            nameOf={({ label, name }) => label ?? name}
            onChange={(fields) => change({ ...type, fields })}
            blank={() => newField(`field_${type.fields.length + 1}`)}
            of={(field, changeField) => <FieldOfType field={field} onChange={changeField} />}
          />
        </>
      )}
    />
  );
}

const newField = (name: string): SpecField => ({ name, type: 'text', required: false, maxLength: 1000 });

const newType = (number: number): SpecRecordType => ({
  name: `record_${number}`,
  readableBy: 'person',
  fields: [newField('text')],
});

interface FieldOfTypeProps {
  field: SpecField;
  onChange: (field: SpecField) => void;
}

function FieldOfType({ field, onChange }: FieldOfTypeProps) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <Text label="Name" value={field.name} onChange={(name) => onChange({ ...field, name })} />
      <Text
        label="Label"
        value={field.label ?? ''}
        onChange={(label) => onChange(withText(field, 'label', label))}
      />
      <Choose
        label="Kind"
        value={field.type}
        options={kinds}
        onChoose={(kind) => onChange(ofKind(field, kind as SpecField['type']))}
      />
      <Text
        label="What to fill in"
        hint="Tells the model."
        value={field.description ?? ''}
        onChange={(text) => onChange(withText(field, 'description', text))}
      />
      {field.type === 'choice' && (
        <Text
          label="Choices"
          hint="Separated by commas."
          value={field.options.join(', ')}
          onChange={(text) => onChange({ ...field, options: listOf(text) })}
        />
      )}
      <Tick
        label="Required"
        isOn={field.required}
        onChange={(required) => onChange({ ...field, required })}
      />
    </div>
  );
}

/** The same field of another kind: bounds of the former kind are left out. */
function ofKind({ name, label, description, required }: SpecField, type: SpecField['type']): SpecField {
  const common = { name, required, ...(label ? { label } : {}), ...(description ? { description } : {}) };
  if (type === 'text') return { ...common, type, maxLength: 1000 };
  if (type === 'number') return { ...common, type, wholeNumber: false };
  if (type === 'choice') return { ...common, type, options: ['yes', 'no'] };
  return { ...common, type };
}

/** An empty text is left out. */
function withText<Item extends SpecField | SpecRecordType>(
  item: Item,
  name: 'label' | 'description',
  text: string,
): Item {
  const { [name]: _, ...others } = item;
  return { ...others, ...(text === '' ? {} : { [name]: text }) } as unknown as Item;
}

/** The parts of a text between commas. A blank that is being typed stays. */
export const listOf = (text: string): string[] => text.split(',').map((part) => part.trimStart());
