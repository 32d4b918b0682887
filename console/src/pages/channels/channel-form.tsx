import { ApiError } from '@botyard/client/api-error';
import type { Schema } from '@botyard/client/client';
import { useActing } from '../../api/acting.tsx';
import { type Action, postAction, putAction, useAction } from '../../api/use-action.ts';
import { Field, Form, SubmitRow } from '../../parts/controls.tsx';
import { issueAt } from '../../parts/issue-at.ts';
import { Fault } from '../../parts/states.tsx';
import { bodyOf, type PlatformField, type PlatformForm, shownValue } from './platform-form.ts';

type Integration = Schema<'Integration'>;

interface ChannelFormProps {
  form: PlatformForm;
  botId: string;
  /** The stored integration that is changed; none for a new one. */
  channel?: Integration;
  onSaved: (channel: Integration) => void;
}

/** The form of a platform's definition. A stored secret stays unless another one is typed. */
export function ChannelForm({ form, botId, channel, onSaved }: ChannelFormProps) {
  const { tenantId } = useActing();
  const save = useAction<Integration>();
  const names = { tenantId: tenantId ?? '', botId };
  const send = (typed: Record<string, string>) => {
    const body = bodyOf(form, typed, channel);
    const action: Action = channel
      ? putAction('Channel saved', '/api/bots/{tenantId}/{botId}/integrations/{integrationId}', {
          names: { ...names, integrationId: channel.integrationId },
          body,
        })
      : postAction(`Connected to ${form.title}`, '/api/bots/{tenantId}/{botId}/integrations', {
          names,
          body: { integrationType: form.name, ...body },
        });
    void save.mutateAsync(action).then(onSaved, () => undefined);
  };
  const shownFields = form.fields.filter(({ kind }) => kind !== 'object');
  const issueOf = ({ part, name }: PlatformField) =>
    part === 'credentials' ? issueAt(save.error, part, name) : issueAt(save.error, part, form.name, name);
  return (
    <>
      {save.error && !isSaidAtFields(save.error, shownFields, issueOf) && <Fault error={save.error} />}
      <Form onSend={send}>
        {shownFields.map((field) => (
          <OneField
            key={field.name}
            field={field}
            issue={issueOf(field)}
            value={shownValue(form, field, channel)}
            isStored={channel !== undefined}
          />
        ))}
        <SubmitRow
          button={save.isPending ? 'Checking…' : channel ? 'Save' : 'Connect'}
          disabled={save.isPending}
        />
      </Form>
    </>
  );
}

const isSaidAtFields = (
  error: Error,
  fields: readonly PlatformField[],
  issueOf: (field: PlatformField) => string | undefined,
): boolean =>
  error instanceof ApiError &&
  error.issues.length > 0 &&
  fields.filter((field) => issueOf(field)).length >= error.issues.length;

interface OneFieldProps {
  field: PlatformField;
  issue: string | undefined;
  value: string;
  isStored: boolean;
}

function OneField({
  field: { name, label, help, kind, choices, isRequired },
  issue,
  value,
  isStored,
}: OneFieldProps) {
  const isKept = isStored && kind === 'secret';
  const hint = isKept ? 'Leave it empty to keep the stored one.' : help;
  return (
    <Field
      label={label}
      name={name}
      issue={issue}
      defaultValue={value}
      isRequired={isRequired && !isKept}
      type={kind === 'secret' ? 'password' : 'text'}
      {...(hint === undefined ? {} : { hint })}
      {...(kind === 'list' ? { rows: 3 } : {})}
      {...(choices ? { options: Object.entries(choices) } : {})}
    />
  );
}
