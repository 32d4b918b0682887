import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { OperatorPage } from './operator-sections.tsx';

const fields = [
  ['archiveAfterDays', 'Put into files after days'],
  ['trimAfterDays', 'Taken out of the database after days; empty: never'],
  ['deleteAfterDays', 'Deleted for good after days; empty: never'],
] as const;

/** Old messages of the tenant that is chosen. */
export function OperatorArchive() {
  const config = useAnswer('/api/archival/config');
  const jobs = useList('/api/archival/jobs', { everyMs: 4000 });
  const change = useAction();
  const send = ({ enabled, ...days }: Record<string, string>) =>
    change.mutate({
      what: 'Change the archive',
      method: 'put',
      path: '/api/archival/config',
      body: {
        enabled: enabled === 'on',
        ...Object.fromEntries(fields.map(([key]) => [key, days[key] ? Number(days[key]) : null])),
      },
    });
  return (
    <OperatorPage answers={[config, jobs]}>
      <Panel title="Archive of this tenant">
        {change.error && <Fault error={change.error} />}
        <Loaded answer={config}>
          {(now) => (
            <Form key={now.updatedAt} onSend={send}>
              <label className="flex gap-2 text-sm">
                <input type="checkbox" name="enabled" defaultChecked={now.enabled} /> Archives by itself
              </label>
              {fields.map(([key, label]) => (
                <Field key={key} label={label} name={key} defaultValue={String(now[key] ?? '')} />
              ))}
              <SubmitRow button="Save" disabled={change.isPending}>
                <ActButton action={{ what: 'Check the files', method: 'post', path: '/api/archival/check' }}>
                  Check the files
                </ActButton>
              </SubmitRow>
            </Form>
          )}
        </Loaded>
      </Panel>
      <Table
        label="Jobs"
        list={jobs}
        keyOf={({ jobId }) => jobId}
        empty={<Empty title="No jobs yet.">One shows up here once the archive runs.</Empty>}
        columns={[
          { title: 'Job', of: ({ kind }) => kind },
          { title: 'State', of: ({ state }) => <State word={state} /> },
          {
            title: 'Messages',
            of: ({ progress }) => `${count(progress.messagesDone)} of ${count(progress.messagesTotal ?? 0)}`,
            isNumber: true,
          },
          { title: 'Fault', of: ({ lastError }) => lastError ?? '' },
          { title: 'Begun', of: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </OperatorPage>
  );
}
