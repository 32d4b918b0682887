import type { Schema } from '@botyard/client/client';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteAction, postAction, useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { ActButton } from '../parts/act-button.tsx';
import { chatKinds } from '../parts/chat-kinds.ts';
import { Field, Panel, State } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated, SectionHeading } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Editing } from '../parts/editing.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { AppRecords } from './app-records.tsx';
import { DraftForm } from './app-spec/draft-form.tsx';

const path = '/api/admin/apps/{appId}';

export function App() {
  const { appId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const names = { appId };
  const app = useAnswer(path, { path: names });
  const remove = (
    <ActButton
      look="bad"
      ask="Delete this app and all its versions and records?"
      action={deleteAction('App deleted', path, names)}
      onDone={() => navigate({ to: '/apps' })}
    >
      Delete
    </ActButton>
  );
  return (
    <Page title={app.data?.name ?? 'App'} answers={[app]} actions={remove}>
      <Loaded answer={app}>
        {({ description, currentVersion, spec }) => (
          <>
            <p className="text-soft">
              {description} {currentVersion ? `Version ${currentVersion} is live.` : 'Not published yet.'}
            </p>
            <Draft names={names} />
            <Versions names={names} />
            <Bindings names={names} isPublished={currentVersion !== null} />
            <AppRecords names={names} types={spec?.recordTypes ?? []} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Names = Record<'appId', string>;

/** The next version. It takes effect once it is published. */
function Draft({ names }: { names: Names }) {
  const draft = useAnswer(`${path}/draft`, { path: names });
  const save = useAction();
  const check = useAction<Schema<'SpecFaults'>>();
  const publish = useAction();
  const [isText, setIsText] = useState(false);
  const act = (what: string, method: 'post' | 'put', end: string, body?: object) =>
    ({ what, method, path: `${path}/${end}`, names, body }) as const;
  return (
    <Panel title="Draft">
      <Loaded answer={draft}>
        {(newest) => (
          <Editing
            value={newest}
            version={newest.revision}
            sending={save}
            saving="They can't be saved over that version, so copy them first."
          >
            {({ spec, revision }) => (
              <DraftForm
                spec={spec}
                isText={isText}
                onText={setIsText}
                isBusy={save.isPending || check.isPending || publish.isPending}
                onSave={(changed) =>
                  save.mutate(act('Draft saved', 'put', 'draft', { spec: changed, revision }))
                }
                onCheck={() => check.mutate(act('Draft checked', 'post', 'draft/validate'))}
                onPublish={() => publish.mutate(act('Draft published', 'post', 'publish', { revision }))}
              />
            )}
          </Editing>
        )}
      </Loaded>
      {[save, check, publish].map(({ error }) => error && <Fault key={error.message} error={error} />)}
      {check.data && <Faults found={check.data} />}
    </Panel>
  );
}

function Faults({ found }: { found: Schema<'SpecFaults'> }) {
  if (found.isValid) return <p className="mt-3 text-good">The draft can be published.</p>;
  return (
    <ul role="alert" className="mt-3 list-disc pl-5 text-sm text-bad">
      {found.faults.map(({ path: where, message }) => (
        <li key={`${where} ${message}`}>
          <code>{where}</code> {message}
        </li>
      ))}
    </ul>
  );
}

function Versions({ names }: { names: Names }) {
  const versions = useList(`${path}/versions`, { path: names });
  return (
    <>
      <h2 className="text-lg font-semibold">Versions</h2>
      <Table
        label="Versions"
        list={versions}
        keyOf={({ version }) => String(version)}
        empty={<Empty title="No versions yet.">Publish the draft above to create the first one.</Empty>}
        columns={[
          { title: 'Version', of: ({ version }) => version, isNumber: true },
          {
            title: 'Origin',
            of: ({ origin, rolledBackTo }) => (rolledBackTo ? `rollback to ${rolledBackTo}` : origin),
          },
          { title: 'Published', of: ({ publishedAt }) => <Time at={publishedAt} /> },
          {
            title: 'Status',
            of: ({ version, isCurrent }) =>
              isCurrent ? (
                <State word="active" />
              ) : (
                <ActButton
                  ask={`Roll back to version ${version}? This creates a new version.`}
                  action={postAction(`Rolled back to version ${version}`, `${path}/rollback`, {
                    names,
                    body: { version },
                  })}
                >
                  Roll back to {version}
                </ActButton>
              ),
          },
        ]}
      />
    </>
  );
}

const newBinding = { name: 'binding', title: 'Bind to a bot' };

function Bindings({ names, isPublished }: { names: Names; isPublished: boolean }) {
  const bindings = useList(`${path}/bindings`, { path: names });
  const bots = useBots();
  const canBind = isPublished && bots.options.length > 0;
  return (
    <>
      <SectionHeading title="Bindings" creation={canBind ? newBinding : undefined} />
      <Table
        label="Bindings"
        list={bindings}
        keyOf={({ bindingId }) => bindingId}
        empty={
          <Empty
            title="No bot uses this app yet."
            action={canBind && <CreateButton creation={newBinding} look="plain" />}
          >
            {isPublished ? 'Bind it to a bot.' : 'Publish the app, then bind it to a bot.'}
          </Empty>
        }
        columns={[
          { title: 'Bot', of: ({ botId }) => bots.nameOf(botId) },
          {
            title: 'Chats',
            of: ({ where }) => Object.values(where).join(', ') || 'all',
          },
          { title: 'Priority', of: ({ priority }) => priority, isNumber: true },
          {
            title: 'Actions',
            of: ({ bindingId }) => (
              <ActButton
                look="bad"
                action={deleteAction('Binding removed', `${path}/bindings/{bindingId}`, {
                  ...names,
                  bindingId,
                })}
              >
                Remove
              </ActButton>
            ),
          },
        ]}
      />
      <CreateDialog creation={newBinding}>
        {(onCreated) => <Bind names={names} bots={bots.options} onCreated={onCreated} />}
      </CreateDialog>
    </>
  );
}

interface BindProps {
  names: Names;
  bots: readonly (readonly [string, string])[];
  onCreated: OnCreated;
}

function Bind({ names, bots, onCreated }: BindProps) {
  const actionOf = ({ botId, kind }: Record<string, string>) =>
    postAction('App bound', `${path}/bindings`, {
      names,
      body: { botId, ...(kind ? { where: { kind } } : {}) },
    });
  return (
    <CreateForm
      button="Bind"
      action={actionOf}
      onDone={({ bindingId }: Schema<'AppBinding'>) => onCreated(bindingId)}
    >
      <Field label="Bot" name="botId" options={bots} />
      <Field label="Chats" name="kind" options={chatKinds} />
    </CreateForm>
  );
}
