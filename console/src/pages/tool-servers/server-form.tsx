import { useState } from 'react';
import { Choose, Field, Form, SubmitRow } from '../../parts/controls.tsx';
import { Fault } from '../../parts/states.tsx';
import type { ToolServer } from './server-words.ts';

const authorizations = [
  ['none', 'None'],
  ['header', 'A token in a header'],
  ['oauth', 'Sign in (OAuth)'],
] as const;
const unchanged = ['', 'Keep the stored one'] as const;

interface ServerFormProps {
  server?: ToolServer;
  error: Error | null;
  isBusy: boolean;
  button: string;
  onSend: (body: object) => void;
}

const owners = [
  ['tenant', 'The account with which an admin signs in'],
  ['person', "Each person's own account"],
] as const;

/** The fields of a server. The value of its header is write-only. */
export function ServerForm({ server, error, isBusy, button, onSend }: ServerFormProps) {
  const [type, choose] = useState<string>(server ? '' : 'none');
  const [grantOf, chooseOwner] = useState<string>(server?.grantOf ?? 'tenant');
  const isSignedIn = type === '' ? server?.authorization.type === 'oauth' : type === 'oauth';
  const send = ({ name, url, header, value, clientId, clientSecret, timeout }: Record<string, string>) =>
    onSend({
      name,
      url,
      ...(type === 'none' ? { authorization: { type } } : {}),
      ...(type === 'header' ? { authorization: { type, header, value } } : {}),
      ...(type === 'oauth' ? { authorization: { type, ...clientOf(clientId, clientSecret) } } : {}),
      grantOf: isSignedIn ? grantOf : 'tenant',
      ...(timeout ? { timeoutMs: Number(timeout) * 1000 } : {}),
    });
  return (
    <>
      {error && <Fault error={error} />}
      <Form error={error} onSend={send}>
        <Field
          label="Address"
          name="url"
          isRequired
          isCode
          hint="The https address of the Streamable HTTP endpoint. All admins can read it, so it must hold no secrets."
          placeholder="https://mcp.example.com/mcp"
          defaultValue={server?.url ?? ''}
        />
        <Field label="Name" name="name" isRequired defaultValue={server?.name ?? ''} />
        <Choose
          label="Authorization"
          value={type}
          options={server ? [unchanged, ...authorizations] : authorizations}
          onChoose={(value) => choose(value ?? '')}
        />
        {type === 'header' && (
          <>
            <Field
              label="Header"
              name="header"
              isRequired
              isCode
              defaultValue={server?.authorization.header ?? 'Authorization'}
              at={['authorization', 'header']}
            />
            <Field
              label="Value"
              name="value"
              isRequired
              type="password"
              hint="For example Bearer, a space and the token. It is stored sealed and never shown again."
              at={['authorization', 'value']}
            />
          </>
        )}
        {isSignedIn && <Owner value={grantOf} onChoose={chooseOwner} />}
        {type === 'oauth' && <OwnClient server={server} />}
        <Field
          label="Time limit in seconds"
          name="timeout"
          hint="For one request, 1 to 60."
          defaultValue={String((server?.timeoutMs ?? 20_000) / 1000)}
          at={['timeoutMs']}
        />
        <SubmitRow button={button} disabled={isBusy} />
      </Form>
    </>
  );
}

/** The choice of the account that calls use, with what people see. */
const Owner = ({ value, onChoose }: { value: string; onChoose: (value: string) => void }) => (
  <div className="grid gap-2">
    <Choose
      label="Calls use"
      value={value}
      options={owners}
      onChoose={(chosen) => onChoose(chosen ?? 'tenant')}
    />
    {value === 'person' && (
      <p className="text-sm text-soft">
        You sign in yourself to see and allow the tools. Whoever asks for a tool in a private chat gets a link
        from the bot, signs in, and confirms it in the chat with a code. In groups these tools are off.
      </p>
    )}
  </div>
);

const clientOf = (clientId = '', clientSecret = '') => ({
  ...(clientId ? { clientId } : {}),
  ...(clientSecret ? { clientSecret } : {}),
});

/** Fields for authorization servers at which Botyard can't register by itself. */
function OwnClient({ server }: { server: ToolServer | undefined }) {
  return (
    <details className="grid gap-4" open={server?.authorization.clientId !== undefined}>
      <summary className="cursor-pointer text-sm text-soft">
        Only if the authorization server asks for it: a client of your own
      </summary>
      <div className="mt-3 grid gap-4">
        <Field
          label="Client ID"
          name="clientId"
          isCode
          defaultValue={server?.authorization.clientId ?? ''}
          at={['authorization', 'clientId']}
        />
        <Field
          label="Client secret"
          name="clientSecret"
          type="password"
          hint="It is stored sealed and never shown again."
          at={['authorization', 'clientSecret']}
        />
      </div>
    </details>
  );
}
