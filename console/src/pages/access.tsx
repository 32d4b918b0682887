import type { Schema } from '@botyard/client/client';
import { useActing } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { useMembers } from '../api/use-members.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { PathGraph } from '../parts/path-graph.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { AccessSections, aboutAccess } from './access-sections.tsx';

export function Access() {
  const edges = useList('/api/authorization-edges');
  const nameOf = useNames();
  return (
    <Page title="Access" about={aboutAccess} answers={[edges]}>
      <AccessSections />
      <Explain />
      <Table
        label="Relationships"
        list={edges}
        keyOf={({ edgeId }) => edgeId}
        empty={<Empty title="No relationships yet.">Add a relationship below to grant access.</Empty>}
        columns={[
          { title: 'Subject', of: ({ subject }) => nameOf(subject) },
          { title: 'Relation', of: ({ relation }) => relation },
          { title: 'Object', of: ({ object }) => nameOf(object) },
          { title: 'Created', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            of: ({ edgeId }) => (
              <ActButton
                look="bad"
                ask="Remove this relationship? The access it grants ends immediately."
                action={{
                  what: 'Relationship removed',
                  method: 'delete',
                  path: '/api/authorization-edges/{edgeId}',
                  names: { edgeId },
                }}
              >
                Remove
              </ActButton>
            ),
          },
        ]}
      />
      <Add />
    </Page>
  );
}

/** Display names for the subjects of relationships. */
function useNames(): (subject: string) => string {
  const { tenantId } = useActing();
  const tenant = useAnswer('/api/bots/tenants/{tenantId}', {
    path: { tenantId: tenantId ?? '' },
    enabled: tenantId !== null,
  });
  const { people } = useMembers();
  const names = new Map<string, string>([
    ...people.map(({ userId, name }) => [`user:${userId}`, name] as const),
    ...(tenant.data?.bots ?? []).map(({ botId, name }) => [`bot:${botId}`, name] as const),
    [`tenant:${tenantId}`, tenant.data?.name ?? ''],
  ]);
  return (subject) => {
    const name = names.get(subject);
    return name ? `${name} (${subject})` : subject;
  };
}

function Explain() {
  const nameOf = useNames();
  const check = useAction<Schema<'AuthorizationExplanation'>>();
  const explain = (body: object) =>
    check.mutate({
      what: 'Access checked',
      method: 'post',
      path: '/api/authorization-edges/check',
      body,
    });
  return (
    <Panel title="Check access">
      <Form onSend={explain}>
        <Field label="Subject" name="subject" isRequired hint="Format: user:… or group:…" />
        <Field label="Action" name="action" choices={['read', 'manage']} />
        <Field label="Object" name="object" isRequired hint="Format: tenant:… or bot:…" />
        <SubmitRow button="Check" disabled={check.isPending} />
      </Form>
      {check.error && <Fault error={check.error} />}
      {check.data && (
        <div className="mt-4 grid gap-2">
          <p className={check.data.allowed ? 'text-good' : 'text-bad'}>
            {check.data.allowed ? 'Allowed' : 'Denied'}: {check.data.reason}
          </p>
          <PathGraph edges={check.data.path ?? []} nameOf={nameOf} />
        </div>
      )}
    </Panel>
  );
}

function Add() {
  const add = useAction();
  return (
    <Panel title="Add a relationship">
      {add.error && <Fault error={add.error} />}
      <Form
        onSend={(body) =>
          add.mutate({ what: 'Relationship added', method: 'post', path: '/api/authorization-edges', body })
        }
      >
        <Field label="Subject" name="subject" isRequired hint="Format: user:… or group:…" />
        <Field label="Relation" name="relation" choices={['member', 'admin']} />
        <Field label="Object" name="object" isRequired hint="Format: tenant:…, bot:… or group:…" />
        <SubmitRow button="Add relationship" look="plain" disabled={add.isPending} />
      </Form>
    </Panel>
  );
}
