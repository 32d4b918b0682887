import { postAction, putAction, useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, State, SubmitRow } from '../parts/controls.tsx';
import { Editing } from '../parts/editing.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, Time } from '../parts/text.tsx';
import { OperatorPage } from './operator-sections.tsx';

const fields = [
  ['archiveAfterDays', 'Archive to files after (days)'],
  ['trimAfterDays', 'Remove from the database after (days, empty for never)'],
  ['deleteAfterDays', 'Delete permanently after (days, empty for never)'],
] as const;

/** The archive of the selected tenant's old messages. */
export function OperatorArchive() {
  const config = useAnswer('/api/archival/config');
  const jobs = useList('/api/archival/jobs', { everyMs: 4000 });
  const change = useAction();
  const send = ({ enabled, ...days }: Record<string, string>) =>
    change.mutate(
      putAction('Archive settings saved', '/api/archival/config', {
        body: {
          enabled: enabled === 'on',
          ...Object.fromEntries(fields.map(([key]) => [key, days[key] ? Number(days[key]) : null])),
        },
      }),
    );
  return (
    <OperatorPage
      answers={[config, jobs]}
      forAdmins={{ title: 'Archive', about: "The archive of this tenant's old messages." }}
    >
      <Panel title="Archive of this tenant">
        {change.error && <Fault error={change.error} />}
        <Loaded answer={config}>
          {(now) => (
            <Editing value={now} version={now.updatedAt ?? ''} sending={change}>
              {(shown) => (
                <Form onSend={send}>
                  <label className="flex gap-2 text-sm">
                    <input type="checkbox" name="enabled" defaultChecked={shown.enabled} /> Archive
                    automatically
                  </label>
                  {fields.map(([key, label]) => (
                    <Field key={key} label={label} name={key} defaultValue={String(shown[key] ?? '')} />
                  ))}
                  <SubmitRow button="Save" disabled={change.isPending}>
                    <ActButton action={postAction('File check started', '/api/archival/check')}>
                      Check files
                    </ActButton>
                  </SubmitRow>
                </Form>
              )}
            </Editing>
          )}
        </Loaded>
      </Panel>
      <Table
        label="Jobs"
        list={jobs}
        keyOf={({ jobId }) => jobId}
        empty={<Empty title="No jobs yet.">Jobs appear here once the archive has run.</Empty>}
        columns={[
          { title: 'Job', of: ({ kind }) => kind },
          { title: 'State', of: ({ state }) => <State word={state} /> },
          {
            title: 'Messages',
            of: ({ progress }) => `${count(progress.messagesDone)} of ${count(progress.messagesTotal ?? 0)}`,
            isNumber: true,
          },
          { title: 'Error', of: ({ lastError }) => lastError ?? '' },
          { title: 'Started', of: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </OperatorPage>
  );
}
