import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { api } from '../api/api.ts';
import { deleteAction, postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Choose, Field, type InputType } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated, SectionHeading } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { SaveFile } from '../parts/save-file.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { useChangeSearch } from '../parts/use-change-search.ts';

const path = '/api/admin/apps/{appId}/records';

type RecordType = Schema<'AppSpec'>['recordTypes'][number];
type RecordField = Schema<'RecordField'>;
type Values = Schema<'AppRecord'>['fields'];

interface OfApp {
  names: Record<'appId', string>;
}

/** Records of an app, a type at a time: saved by bots in its chats, or added by people. */
export function AppRecords({ names, types }: OfApp & { types: readonly RecordType[] }) {
  const { q, kind } = useSearch({ strict: false });
  const change = useChangeSearch({ replace: true });
  const type = types.find(({ name }) => name === kind) ?? types[0];
  const records = useList(path, {
    path: names,
    query: { search: q, type: type?.name },
    enabled: type !== undefined,
  });
  if (!type) return null;
  const newRecord = { name: 'record', title: `New record: ${type.label ?? type.name}` };
  return (
    <>
      <SectionHeading title="Records" creation={newRecord} />
      <div className="grid max-w-2xl items-start gap-4 md:grid-cols-2">
        <Choose
          label="Type"
          value={type.name}
          options={types.map(({ name, label = name }) => [name, label] as const)}
          onChoose={(chosen) => change({ kind: chosen })}
        />
        <SearchForm label="Search records" hint="Press Enter to search." replace />
      </div>
      <Table
        label="Records"
        list={records}
        keyOf={({ recordId }) => recordId}
        empty={
          q ? (
            <Empty title="No matching records.">Try another search.</Empty>
          ) : (
            <Empty title="No records yet." action={<CreateButton creation={newRecord} look="plain" />}>
              Agents with a tool of this app save records in chats.
            </Empty>
          )
        }
        columns={[
          ...type.fields.map(({ name, label = name, type: kindOfField }) => ({
            title: label,
            of: ({ fields }: { fields: Values }) => shown(fields[name]),
            isNumber: kindOfField === 'number',
          })),
          { title: 'Source', of: ({ source }) => source },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
          {
            title: 'Actions',
            of: ({ recordId }) => (
              <ActButton
                look="bad"
                ask="Delete this record?"
                action={deleteAction('Record deleted', `${path}/{recordId}`, { ...names, recordId })}
              >
                Delete
              </ActButton>
            ),
          },
        ]}
      />
      <div>
        <SaveFile name={`${type.name}.csv`} read={() => readCsv(names, type.name)}>
          Export all as CSV
        </SaveFile>
      </div>
      <CreateDialog creation={newRecord}>
        {(onCreated) => <AddRecord key={type.name} names={names} type={type} onCreated={onCreated} />}
      </CreateDialog>
    </>
  );
}

const shown = (value: Values[string] | undefined): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? value.toLocaleString() : (value ?? '');
};

const readCsv = async ({ appId }: OfApp['names'], type: string): Promise<Blob> =>
  (await api.get(`${path}/export`, {
    params: { path: { appId }, query: { type } },
    parseAs: 'blob',
  })) as unknown as Blob;

function AddRecord({ names, type, onCreated }: OfApp & { type: RecordType; onCreated: OnCreated }) {
  const actionOf = (fields: Record<string, string>) =>
    postAction('Record added', path, {
      names,
      body: { type: type.name, fields: toValues(type.fields, fields) },
    });
  return (
    <CreateForm
      button="Add record"
      action={actionOf}
      onDone={({ recordId }: Schema<'AppRecord'>) => onCreated(recordId)}
    >
      {type.fields.map((field) => (
        <ValueField key={field.name} field={field} />
      ))}
    </CreateForm>
  );
}

const inputs: Readonly<Record<Exclude<RecordField['type'], 'boolean' | 'choice'>, InputType>> = {
  text: 'text',
  number: 'number',
  date: 'date',
  time: 'time',
  email: 'email',
  phone: 'tel',
  url: 'url',
};

function ValueField({ field }: { field: RecordField }) {
  const { name, label = name, required, description, type } = field;
  const common = {
    label,
    name,
    at: ['fields', name],
    isRequired: required,
    ...(description ? { hint: description } : {}),
  };
  if (type === 'boolean')
    return (
      <Field
        {...common}
        options={[
          ['', ''],
          ['true', 'Yes'],
          ['false', 'No'],
        ]}
      />
    );
  if (type === 'choice') return <Field {...common} choices={['', ...field.options]} />;
  return <Field {...common} type={inputs[type]} />;
}

/** The values of a form. Empty fields are left out. */
function toValues(fields: readonly RecordField[], texts: Readonly<Record<string, string>>): Values {
  const filled = fields.flatMap(({ name, type }) => {
    const text = texts[name] ?? '';
    return text === '' ? [] : [[name, toValue(type, text)] as const];
  });
  return Object.fromEntries(filled);
}

function toValue(type: RecordField['type'], text: string): Values[string] {
  if (type === 'number') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}
