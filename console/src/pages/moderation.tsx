import { useAction } from '../api/use-action.ts';
import { useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Fault } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/text.tsx';
import { AccountFields } from './account-fields.tsx';
import { PeopleSections } from './people-sections.tsx';

const path = '/api/auth/moderation';

/** People whom bots ignore. */
export function Moderation() {
  const mutes = useList(path);
  const people = useList('/api/platform-users');
  return (
    <Page title="People" about="Bots don't hear whoever is muted." answers={[mutes, people]}>
      <PeopleSections />
      <Table
        label="Muted"
        list={mutes}
        keyOf={({ muteId }) => muteId}
        empty={<Empty title="Nobody is muted.">Mute somebody below, and no bot hears them.</Empty>}
        columns={[
          { title: 'Account', of: ({ platform, platformUserId }) => `${platform} ${platformUserId}` },
          { title: 'Reason', of: ({ reason }) => reason ?? '' },
          { title: 'Until', of: ({ until }) => (until ? <Time at={until} /> : 'lifted by somebody') },
          { title: 'Since', of: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Lift',
            of: ({ muteId }) => (
              <ActButton
                action={{
                  what: 'Lift the mute',
                  method: 'delete',
                  path: `${path}/{muteId}`,
                  names: { muteId },
                }}
              >
                Lift
              </ActButton>
            ),
          },
        ]}
      />
      <Mute />
    </Page>
  );
}

function Mute() {
  const mute = useAction();
  const send = ({ platform, platformUserId, reason, hours }: Record<string, string>) =>
    mute.mutate({
      what: 'Mute the person',
      method: 'post',
      path,
      body: {
        platform,
        platformUserId,
        ...(reason ? { reason } : {}),
        ...(hours ? { until: new Date(Date.now() + Number(hours) * 3_600_000).toISOString() } : {}),
      },
    });
  return (
    <Panel title="Mute somebody">
      {mute.error && <Fault error={mute.error} />}
      <Form onSend={send}>
        <AccountFields />
        <Field label="Reason" name="reason" />
        <Field
          label="For"
          name="hours"
          options={[
            ['1', 'an hour'],
            ['24', 'a day'],
            ['168', 'a week'],
            ['', 'until it is lifted'],
          ]}
        />
        <SubmitRow button="Mute" look="plain" disabled={mute.isPending} />
      </Form>
    </Panel>
  );
}
