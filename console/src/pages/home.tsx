import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useActing, useMayChange } from '../api/acting.tsx';
import { useAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { useExternalTools } from '../api/use-config.ts';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, dollars } from '../parts/text.tsx';
import { OwnInvitations } from './own-invitations.tsx';
import { problemWords } from './problem-words.ts';

export function Home() {
  const { tenantId } = useActing();
  const mayChange = useMayChange();
  if (!tenantId) return <FirstTenant />;
  return mayChange ? <TenantHome /> : <MemberHome tenantId={tenantId} />;
}

/** Status and activity are only for admins. */
function MemberHome({ tenantId }: { tenantId: string }) {
  const tenant = useAnswer('/api/bots/tenants/{tenantId}', { path: { tenantId } });
  return (
    <Page title={tenant.data?.name ?? 'Home'} answers={[tenant]}>
      <OwnInvitations />
      <Panel title="You are a member of this tenant">
        <p>
          You can read its{' '}
          <Link to="/agents" className="text-accent underline">
            agents
          </Link>{' '}
          and{' '}
          <Link to="/bots" className="text-accent underline">
            bots
          </Link>
          . To read chats or make changes, ask an admin to make you an admin.
        </p>
      </Panel>
    </Page>
  );
}

function FirstTenant() {
  const create = useAction();
  return (
    <Page
      title="Welcome"
      about="A tenant holds your bots, agents, people and keys. Name yours to get started."
    >
      <OwnInvitations />
      <Panel title="Create a tenant">
        <Form
          onSend={({ name }) =>
            create.mutate({
              what: 'Tenant created',
              method: 'post',
              path: '/api/bots/tenants',
              body: { name },
            })
          }
        >
          <Field label="Name" name="name" isRequired hint="People see this name. You can change it later." />
          <SubmitRow button="Create tenant" disabled={create.isPending} />
        </Form>
      </Panel>
    </Page>
  );
}

function TenantHome() {
  const status = useAnswer('/api/dashboard/status', { everyMs: 10_000 });
  const activity = useAnswer('/api/dashboard/activity', { query: { unit: 'day' } });
  return (
    <Page title={status.data?.name ?? 'Home'} answers={[status, activity]}>
      <OwnInvitations />
      <Loaded answer={status}>
        {(now) => (
          <>
            <FirstSteps
              bots={now.bots.all}
              channels={now.integrations.registered}
              keys={now.keys?.active ?? 0}
            />
            <Panel title="Needs attention">
              {now.problems.length === 0 ? (
                <p className="text-soft">
                  Nothing has failed. Pending decisions are listed in{' '}
                  <Link to="/approvals" className="text-accent underline">
                    approvals
                  </Link>{' '}
                  and{' '}
                  <Link to="/inbox/held-mails" className="text-accent underline">
                    held emails
                  </Link>
                  .
                </p>
              ) : (
                <ul className="grid gap-2">
                  {now.problems.map(({ kind, count: many }) => (
                    <li key={kind}>
                      <Link to={placeOf[kind] ?? '/failures'} className="text-accent underline">
                        {count(many)} × {problemWords[kind] ?? kind}
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
            </Panel>
          </>
        )}
      </Loaded>
      <Loaded answer={activity}>
        {({ totals }) => (
          <Panel title="Recent activity">
            <Figures
              figures={[
                ['Messages received', count(totals.messagesIn)],
                ['Answers', count(totals.answers)],
                ['Failures', count(totals.failures)],
                ['Cost', dollars(totals.costMicroUsd)],
              ]}
            />
          </Panel>
        )}
      </Loaded>
    </Page>
  );
}

const placeOf: Readonly<Record<string, '/bots' | '/failures' | '/keys' | '/usage' | '/people'>> = {
  registrationsFailed: '/bots',
  keysInvalid: '/keys',
  quotaExceeded: '/usage',
  adminsKeptAfterLeaving: '/people',
};

interface Prepared {
  bots: number;
  channels: number;
  keys: number;
}

/** The steps to the first chat. They disappear once there is a chat. */
function FirstSteps(prepared: Prepared) {
  const chats = useList('/api/interactions/chats', { query: { limit: 1 } });
  return chats.data?.length === 0 && <Steps {...prepared} />;
}

function Steps({ bots, channels, keys }: Prepared) {
  const model = useAnswer('/api/integrations/private-llm', { enabled: useExternalTools() });
  const agents = useList('/api/definitions/agents', { query: { limit: 1 } });
  const hasModel = keys > 0 || model.data?.address != null;
  return (
    <Panel title="Get started">
      <ol className="grid gap-2">
        <Step isDone>Create a tenant.</Step>
        <Step isDone={hasModel} to="/keys">
          Add a provider's key, or use the private model.
        </Step>
        <Step isDone={(agents.data?.length ?? 0) > 0} to="/agents">
          Create an agent and describe in plain words what it does.
        </Step>
        <Step isDone={bots > 0} to="/bots">
          Create a bot that people can write to.
        </Step>
        <Step isDone={channels > 0} to="/bots">
          Connect the bot to Telegram or email.
        </Step>
        <Step isDone={false}>Say hello to the bot. The chat appears in the inbox.</Step>
      </ol>
    </Panel>
  );
}

function Step({
  isDone,
  to,
  children,
}: {
  isDone: boolean;
  to?: '/keys' | '/agents' | '/bots';
  children: ReactNode;
}) {
  return (
    <li className="flex gap-3">
      <span aria-hidden="true" className={isDone ? 'text-good' : 'text-soft'}>
        {isDone ? '✓' : '○'}
      </span>
      <span className="sr-only">{isDone ? 'Done:' : 'To do:'}</span>
      {to && !isDone ? (
        <Link to={to} className="text-accent underline">
          {children}
        </Link>
      ) : (
        <span>{children}</span>
      )}
    </li>
  );
}
