import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { type Action, putAction, useAction } from '../../api/use-action.ts';
import { Button, Field, Form, Panel, SubmitRow } from '../../parts/controls.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { issueAt } from '../../parts/issue-at.ts';
import { linesOf } from '../../parts/split-text.ts';
import { Fault } from '../../parts/states.tsx';

const one = '/api/bots/{tenantId}/{botId}/integrations/{integrationId}';
type Channel = Schema<'Integration'>;

const changeOf = (
  { tenantId, botId, integrationId, integrationType }: Channel,
  what: string,
  settings: object,
): Action =>
  putAction(what, one, {
    names: { tenantId, botId, integrationId },
    body: { settings: { [integrationType]: settings } },
  });

/** The sites that may show the chat, and how their visitors prove who they are. */
export function ChatIdentity({ channel }: { channel: Channel }) {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Sites channel={channel} />
      <IdentitySecret channel={channel} />
    </div>
  );
}

function Sites({ channel }: { channel: Channel }) {
  const save = useAction();
  const { integrationType, settings, updatedAt } = channel;
  const send = ({ sites }: Record<string, string>) =>
    save.mutate(changeOf(channel, 'Sites saved', { allowedOrigins: linesOf(sites) }));
  const issue = issueAt(save.error, 'settings', integrationType, 'allowedOrigins');
  return (
    <Panel title="Sites">
      {save.error && !issue && <Fault error={save.error} />}
      <Form key={updatedAt} onSend={send}>
        <Field
          label="Sites that may show the chat"
          name="sites"
          rows={4}
          hint="Such as https://shop.example, one on each line. With none, only the chat's own page works."
          issue={issue}
          defaultValue={settings.webchat?.allowedOrigins?.join('\n') ?? ''}
        />
        <SubmitRow button="Save sites" disabled={save.isPending} />
      </Form>
    </Panel>
  );
}

const newSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** The secret is made here and shown until the page is left. Afterwards only its end is known. */
function IdentitySecret({ channel }: { channel: Channel }) {
  const rotate = useAction();
  const [made, setMade] = useState<string>();
  const masked = channel.settings.webchat?.identitySecret;
  const send = async () => {
    const question = 'Replace the secret? Sites that sign with the old one are refused from now on.';
    if (masked && !window.confirm(question)) return;
    const identitySecret = newSecret();
    await rotate.mutateAsync(changeOf(channel, 'Secret saved', { identitySecret }));
    setMade(identitySecret);
  };
  return (
    <Panel title="Visitors who are signed in">
      <div className="grid justify-items-start gap-3 text-sm">
        <p className="text-soft">
          Your server signs the identifier of a signed-in visitor with a secret. They then have their history
          on all of their devices.
        </p>
        {rotate.error && <Fault error={rotate.error} />}
        {made ? (
          <>
            <p>Copy the secret now. It is not shown again.</p>
            <code dir="ltr" className="rounded bg-sunk p-2 font-mono text-xs break-all">
              {made}
            </code>
            <CopyButton text={made}>Copy secret</CopyButton>
          </>
        ) : (
          <p>{masked ? `A secret is stored: ${masked}` : 'There is no secret yet.'}</p>
        )}
        <Button disabled={rotate.isPending} onClick={() => void send().catch(() => undefined)}>
          {masked ? 'Rotate the secret' : 'Make a secret'}
        </Button>
      </div>
    </Panel>
  );
}
