import { useAnswer, useList } from '../api/use-answer.ts';
import { Panel } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';

export function Apps() {
  const apps = useList('/api/admin/apps');
  const templates = useAnswer('/api/admin/apps/templates');
  return (
    <Page title="Apps" about="Agents, commands and records that belong together." answers={[apps, templates]}>
      <Table
        label="Apps"
        list={apps}
        keyOf={({ appId }) => appId}
        empty={<Empty title="No apps yet.">A template below is the shortest way to one.</Empty>}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Description', of: ({ description }) => description },
          {
            title: 'Runs',
            of: ({ currentVersion }) => (currentVersion ? `version ${currentVersion}` : 'nothing yet'),
          },
          { title: 'Bindings', of: ({ bindingCount }) => bindingCount, isNumber: true },
          { title: 'Changed', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Templates</h2>
      <Loaded answer={templates}>
        {(all) => (
          <div className="grid gap-4 md:grid-cols-2">
            {all.map(({ templateId, name, description, commands, recordTypes }) => (
              <Panel key={templateId} title={name}>
                <p>{description}</p>
                <p className="text-sm text-soft">Commands: {commands.join(', ') || 'none'}</p>
                <p className="text-sm text-soft">Records: {recordTypes.join(', ') || 'none'}</p>
              </Panel>
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
