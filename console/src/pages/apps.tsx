import type { Schema } from '@botyard/client/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { postAction, useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { Button, Field, Panel } from '../parts/controls.tsx';
import { CreateButton, CreateDialog } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { TextLink } from '../parts/text-link.tsx';

const newApp = { name: 'app', title: 'New app' };

export function Apps() {
  const apps = useList('/api/admin/apps');
  const templates = useAnswer('/api/admin/apps/templates');
  return (
    <Page
      title="Apps"
      about="Agents, commands and records that belong together."
      answers={[apps, templates]}
      actions={<CreateButton creation={newApp} />}
    >
      <Table
        label="Apps"
        list={apps}
        keyOf={({ appId }) => appId}
        empty={
          <Empty title="No apps yet." action={<CreateButton creation={newApp} />}>
            Install a template, or begin with an empty app.
          </Empty>
        }
        columns={[
          {
            title: 'Name',
            of: ({ appId, name }) => (
              <TextLink to="/apps/$appId" params={{ appId }} className="font-medium">
                {name}
              </TextLink>
            ),
          },
          { title: 'Description', of: ({ description }) => description },
          {
            title: 'Live version',
            of: ({ currentVersion }) => currentVersion ?? 'not published',
          },
          { title: 'Bindings', of: ({ bindingCount }) => bindingCount, isNumber: true },
          { title: 'Updated', of: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
      <h2 className="text-lg font-semibold">Templates</h2>
      <Loaded answer={templates}>
        {(all) => (
          <div className="grid items-start gap-4 md:grid-cols-2">
            {all.map(({ templateId, name, description, commands, recordTypes }) => (
              <Panel key={templateId} title={name}>
                <p>{description}</p>
                <p className="text-sm text-soft">Commands: {commands.join(', ') || 'none'}</p>
                <p className="mb-3 text-sm text-soft">Records: {recordTypes.join(', ') || 'none'}</p>
                <Install
                  templateId={templateId}
                  name={name}
                  app={apps.data?.find((app) => app.templateId === templateId)}
                />
              </Panel>
            ))}
          </div>
        )}
      </Loaded>
      <CreateDialog creation={newApp}>{() => <NewApp />}</CreateDialog>
    </Page>
  );
}

interface InstallProps {
  templateId: string;
  name: string;
  /** The app that was made of the template already. */
  app: Schema<'App'> | undefined;
}

function Install({ templateId, name, app }: InstallProps) {
  const open = useOpenApp();
  const install = useAction<{ appId: string }>();
  const send = () => {
    if (app && !window.confirm(`${app.name} is installed already. Install the template once more?`)) return;
    install.mutate(postAction(`${name} installed`, '/api/admin/apps/install', { body: { templateId } }), {
      onSuccess: open,
    });
  };
  return (
    <>
      {install.error && <Fault error={install.error} />}
      <div className="flex flex-wrap gap-2">
        {app && (
          <Link
            to="/apps/$appId"
            params={{ appId: app.appId }}
            className="inline-flex min-h-9 items-center rounded-md bg-accent px-3 py-1 text-sm font-medium text-accent-ink hover:opacity-90"
          >
            Open {app.name}
          </Link>
        )}
        <Button disabled={install.isPending} onClick={send}>
          {app ? 'Install again' : `Install ${name}`}
        </Button>
      </div>
    </>
  );
}

function NewApp() {
  const open = useOpenApp();
  return (
    <CreateForm
      button="Create app"
      action={(body) => postAction('App created', '/api/admin/apps', { body })}
      onDone={open}
    >
      <Field label="Name" name="name" isRequired />
      <Field label="Description" name="description" />
    </CreateForm>
  );
}

function useOpenApp() {
  const navigate = useNavigate();
  return ({ appId }: { appId: string }) => void navigate({ to: '/apps/$appId', params: { appId } });
}
