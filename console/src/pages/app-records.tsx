import { useNavigate, useSearch } from '@tanstack/react-router';
import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Panel } from '../parts/controls.tsx';
import { JsonForm } from '../parts/json-form.tsx';
import { SearchForm } from '../parts/search-form.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';

const path = '/api/admin/apps/{appId}/records';

/** Records saved by bots in the app's chats and records added by people. */
export function AppRecords({ names, types }: { names: Record<'appId', string>; types: readonly string[] }) {
  const { q } = useSearch({ strict: false });
  const navigate = useNavigate();
  const records = useList(path, { path: names, query: { search: q } });
  return (
    <>
      <h2 className="text-lg font-semibold">Records</h2>
      <SearchForm
        label="Search records"
        hint="Press Enter to search."
        value={q}
        onSearch={(text) => void navigate({ to: '.', search: (now) => ({ ...now, q: text }) })}
      />
      <Table
        label="Records"
        list={records}
        keyOf={({ recordId }) => recordId}
        empty={
          q ? (
            <Empty title="No matching records.">Try another search.</Empty>
          ) : (
            <Empty title="No records yet.">Agents with a tool of this app save records in chats.</Empty>
          )
        }
        columns={[
          { title: 'Type', of: ({ type }) => type },
          {
            title: 'Fields',
            of: ({ fields }) =>
              Object.entries(fields)
                .map(
                  ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
                )
                .join(', '),
          },
          { title: 'Source', of: ({ source }) => source },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
          {
            title: 'Actions',
            of: ({ recordId }) => (
              <ActButton
                look="bad"
                ask="Delete this record?"
                action={{
                  what: 'Record deleted',
                  method: 'delete',
                  path: `${path}/{recordId}`,
                  names: { ...names, recordId },
                }}
              >
                Delete
              </ActButton>
            ),
          },
        ]}
      />
      {types.length > 0 && <Add names={names} type={types[0] ?? ''} />}
    </>
  );
}

function Add({ names, type }: { names: Record<'appId', string>; type: string }) {
  const add = useAction();
  return (
    <Panel title="Add a record">
      {add.error && <Fault error={add.error} />}
      <JsonForm
        label="Record"
        value={{ type, fields: {} }}
        button="Add record"
        isBusy={add.isPending}
        onSend={(body) => add.mutate({ what: 'Record added', method: 'post', path, names, body })}
      />
    </Panel>
  );
}
