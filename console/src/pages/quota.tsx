import type { Schema } from '@botyard/client/client';
import { useState } from 'react';
import { deleteAction, postAction, useAction } from '../api/use-action.ts';
import { useAnswer } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Button, Field, Form, Panel, SubmitRow } from '../parts/controls.tsx';
import { Popup } from '../parts/popup.tsx';
import { count, dollars, Time } from '../parts/text.tsx';

const path = '/api/usage/{tenantId}/quota';

type Quota = Schema<'Quota'>;
type Limits = Schema<'Limits'>;
type LimitName = keyof Limits;

const microUsd = 1e6;
const limits: Readonly<Record<LimitName, { label: string; hint: string; shown: (value: number) => string }>> =
  {
    costMicroUsd: { label: 'Cost in USD', hint: 'For models that have a price.', shown: dollars },
    messages: { label: 'Messages', hint: 'Answered messages.', shown: count },
    inputTokens: { label: 'Input tokens', hint: 'Tokens sent to models.', shown: count },
    outputTokens: { label: 'Output tokens', hint: 'Tokens written by models.', shown: count },
  };
const limitNames = Object.keys(limits) as LimitName[];
const scaleOf = (name: LimitName): number => (name === 'costMicroUsd' ? microUsd : 1);

interface OfTenant {
  names: Record<'tenantId', string>;
  isEnabled: boolean;
}

/** The tenant's quota, or a button to set one. */
export function QuotaPanel({ names, isEnabled }: OfTenant) {
  const [isOpen, open] = useState(false);
  // The API has no quota to return if none is set, and the status says so without a failed request.
  const status = useAnswer('/api/dashboard/status', { enabled: isEnabled });
  const hasQuota = status.data != null && status.data.quota !== null;
  const quota = useAnswer(path, { path: names, enabled: isEnabled && hasQuota });
  if (!status.data || status.data.unavailable.includes('usage')) return null;
  const current = hasQuota ? quota.data : undefined;
  if (hasQuota && !current) return null;
  return (
    <Panel title={current ? `Quota for this ${current.period}` : 'Quota'}>
      {current ? (
        <QuotaUse quota={current} />
      ) : (
        <p className="text-sm text-soft">There is no quota. Usage isn't limited.</p>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button onClick={() => open(true)}>{current ? 'Change the quota' : 'Set a quota'}</Button>
        {current && (
          <ActButton
            action={deleteAction('Quota removed', path, names)}
            ask="Remove the quota? Usage is no longer limited."
          >
            Remove
          </ActButton>
        )}
      </div>
      <Popup
        title={current ? 'Change the quota' : 'Set a quota'}
        isOpen={isOpen}
        onOpen={(willOpen) => open(willOpen)}
      >
        <QuotaForm names={names} quota={current} onDone={() => open(false)} />
      </Popup>
    </Panel>
  );
}

function QuotaUse({ quota: { limits: most, used, remaining, periodEnd } }: { quota: Quota }) {
  return (
    <dl className="grid gap-2 text-sm">
      {limitNames.map((name) => {
        const limit = most[name];
        if (limit === undefined) return null;
        const { label, shown } = limits[name];
        return (
          <div key={name} className="flex flex-wrap items-center gap-2">
            <dt className="font-medium">{label}</dt>
            <dd className="flex flex-wrap items-center gap-2 tabular-nums">
              <meter className="w-32" aria-label={label} max={Math.max(1, limit)} value={used[name] ?? 0} />
              {shown(used[name] ?? 0)} of {shown(limit)}, {shown(remaining[name] ?? 0)} left until{' '}
              <Time at={periodEnd} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

interface QuotaFormProps {
  names: OfTenant['names'];
  quota: Quota | undefined;
  onDone: () => void;
}

function QuotaForm({ names, quota, onDone }: QuotaFormProps) {
  const save = useAction();
  const send = ({ period, ...amounts }: Record<string, string>) => {
    const wanted = limitNames.flatMap((name) => {
      const amount = amounts[name];
      return amount ? [[name, Math.round(Number(amount) * scaleOf(name))] as const] : [];
    });
    save.mutate(
      postAction(quota ? 'Quota changed' : 'Quota set', `${path}/${quota ? 'reset' : 'initialize'}`, {
        names,
        body: { limits: Object.fromEntries(wanted), period },
        onDone,
      }),
    );
  };
  return (
    <Form error={save.error} onSend={send}>
      <p className="text-sm text-soft">
        {quota
          ? 'The counters of the quota begin again at 0.'
          : 'Once a limit is reached, bots answer with one polite sentence and call no model.'}{' '}
        A field left empty sets no limit.
      </p>
      {limitNames.map((name) => {
        const limit = quota?.limits[name];
        return (
          <Field
            key={name}
            label={limits[name].label}
            name={name}
            hint={limits[name].hint}
            defaultValue={limit === undefined ? '' : String(limit / scaleOf(name))}
            at={['limits', name]}
          />
        );
      })}
      <Field
        label="Period"
        name="period"
        defaultValue={quota?.period ?? 'month'}
        options={[
          ['month', 'A calendar month'],
          ['day', 'A day'],
        ]}
      />
      <SubmitRow button="Save quota" disabled={save.isPending} />
    </Form>
  );
}
