import { useActing, useMayChange } from '../../api/acting.tsx';
import { postAction, useAction } from '../../api/use-action.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Field, Form, Panel, SubmitRow } from '../../parts/controls.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { FirstSteps } from './first-steps.tsx';
import { OwnInvitations } from './own-invitations.tsx';
import { Week } from './week.tsx';
import { WhatWaits } from './what-waits.tsx';

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
          You can read its <TextLink to="/agents">agents</TextLink> and <TextLink to="/bots">bots</TextLink>.
          To read chats or make changes, ask an admin to make you an admin.
        </p>
      </Panel>
    </Page>
  );
}

function FirstTenant() {
  const create = useAction();
  return (
    <Page
      title="Welcome to Botyard"
      about="Bots that answer people in messengers and by email, with your own agents and your own keys. A tenant holds all of it: name yours to get started."
    >
      <OwnInvitations />
      <Panel title="Create a tenant">
        <Form
          onSend={({ name }) =>
            create.mutate(postAction('Tenant created', '/api/bots/tenants', { body: { name } }))
          }
        >
          <Field label="Name" name="name" isRequired hint="People see this name. You can change it later." />
          <SubmitRow button="Create tenant" disabled={create.isPending} />
        </Form>
      </Panel>
    </Page>
  );
}

/** Lists what waits for a person, the first steps while there is no chat, and the week beside the last one. */
function TenantHome() {
  const status = useAnswer('/api/dashboard/status', { everyMs: 10_000 });
  return (
    <Page title={status.data?.name ?? 'Home'} answers={[status]}>
      <OwnInvitations />
      <Loaded answer={status}>
        {(now) => (
          <>
            <FirstSteps
              bots={now.bots.all}
              channels={now.integrations.registered}
              keys={now.keys?.active ?? 0}
            />
            <WhatWaits problems={now.problems} quota={now.quota} />
          </>
        )}
      </Loaded>
      <Week />
    </Page>
  );
}
