import type { Schema } from '@botyard/client/client';
import { providerNames } from '@botyard/contracts/providers';
import { useSearch } from '@tanstack/react-router';
import { useActing } from '../api/acting.tsx';
import { deleteAction, postAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, State } from '../parts/controls.tsx';
import { CreateButton, CreateDialog, type OnCreated } from '../parts/create-dialog.tsx';
import { CreateForm } from '../parts/create-form.tsx';
import { Page } from '../parts/page.tsx';
import { SearchChoice, SearchForm } from '../parts/search-form.tsx';
import { Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { KeyChoice } from './key-choice.tsx';

const newKey = { name: 'key', title: 'Add a key' };

export function Keys() {
  const { tenantId } = useActing();
  const names = { tenantId: tenantId ?? '' };
  const { q, status } = useSearch({ strict: false });
  const keys = useList('/api/keys/{tenantId}', {
    path: names,
    query: { q, status },
    enabled: tenantId !== null,
  });
  return (
    <Page
      title="Keys"
      about="API keys of model providers. They are stored encrypted and shown masked."
      answers={[keys]}
      actions={<CreateButton creation={newKey} />}
    >
      <div className="grid max-w-2xl items-start gap-4 md:grid-cols-2">
        <SearchForm hint="Searches the last characters of keys." />
        <SearchChoice
          label="State"
          name="status"
          options={[
            ['', 'All'],
            ['active', 'Active'],
            ['invalid', 'Invalid'],
          ]}
        />
      </div>
      <Table
        label="Keys"
        list={keys}
        keyOf={({ keyId }) => keyId}
        empty={
          q || status ? (
            <Empty title="No matching keys.">Try another search or state.</Empty>
          ) : (
            <Empty title="No keys yet." action={<CreateButton creation={newKey} />}>
              Add a provider's key, or let agents use the private model.
            </Empty>
          )
        }
        columns={[
          { title: 'Provider', of: ({ provider }) => provider },
          { title: 'Key', of: ({ maskedKey }) => <code>{maskedKey}</code> },
          { title: 'Scope', of: ({ scopeType }) => scopeType },
          { title: 'State', of: ({ status }) => <State word={status} /> },
          { title: 'Checked', of: ({ validation }) => <Time at={validation?.checkedAt} /> },
          { title: 'Actions', of: ({ keyId }) => <Actions names={{ ...names, keyId }} /> },
        ]}
      />
      {tenantId !== null && <KeyChoice tenantId={tenantId} keys={keys.data ?? []} />}
      <CreateDialog creation={newKey}>
        {(onCreated) => <AddKey names={names} onCreated={onCreated} />}
      </CreateDialog>
    </Page>
  );
}

function Actions({ names }: { names: Record<string, string> }) {
  const path = '/api/keys/{tenantId}/{keyId}';
  return (
    <div className="flex gap-2">
      <ActButton action={postAction('Key validated', `${path}/validate`, { names })}>Validate</ActButton>
      <ActButton
        look="bad"
        ask="Delete this key? Agents can no longer use it."
        action={deleteAction('Key deleted', path, names)}
      >
        Delete
      </ActButton>
    </div>
  );
}

function AddKey({ names, onCreated }: { names: Record<string, string>; onCreated: OnCreated }) {
  return (
    <CreateForm
      button="Add key"
      action={(body) => postAction('Key added', '/api/keys/{tenantId}', { names, body })}
      onDone={({ keyId }: Schema<'Key'>) => onCreated(keyId)}
    >
      <Field label="Provider" name="provider" choices={providerNames} />
      <Field label="Key" name="apiKey" type="password" isRequired />
    </CreateForm>
  );
}
