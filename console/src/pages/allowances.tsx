import type { Schema } from '@botyard/client/client';
import type { ReactNode } from 'react';
import { Panel, State } from '../parts/controls.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, sizeOf, Time } from '../parts/text.tsx';

type KeyUse = Schema<'PlatformKeyUse'>;

/** The tenant's allowance for the platform's own keys, and how much of it is used. */
export function AllowancePanel({ uses }: { uses: readonly KeyUse[] }) {
  return (
    <Panel title="Allowance for the platform's keys">
      <dl className="grid gap-4">
        {uses.map((use) => (
          <Use key={use.providers.join(' ')} use={use} />
        ))}
      </dl>
    </Panel>
  );
}

function Use({ use }: { use: KeyUse }) {
  const { providers, monthlyTokens, usedTokens, reservedTokens, remainingTokens, isUsedUp, periodEnd } = use;
  return (
    <Amount name={providers.join(', ')} used={usedTokens} most={monthlyTokens}>
      {count(usedTokens)}
      {monthlyTokens === null ? ' tokens, no limit' : ` of ${count(monthlyTokens)} tokens`}
      {reservedTokens > 0 && `, ${count(reservedTokens)} reserved for answers in progress`}
      {remainingTokens !== null && (
        <>
          , {count(remainingTokens)} left until <Time at={periodEnd} />
        </>
      )}{' '}
      {isUsedUp && (
        <>
          <State word="used up" /> Answers now need one of the tenant's own keys.
        </>
      )}
    </Amount>
  );
}

interface StoragePanelProps {
  storage: { data: Schema<'StorageUse'> | undefined; error: Error | null; refetch: () => unknown };
}

/** The storage used by emails and documents, and its limits. */
export function StoragePanel({ storage }: StoragePanelProps) {
  return (
    <Panel title="Storage">
      <Loaded answer={storage}>
        {(kinds) => (
          <dl className="grid gap-4">
            {Object.entries(kinds).map(([kind, { usedBytes, limitBytes }]) => (
              <Amount key={kind} name={kind} used={usedBytes} most={limitBytes}>
                {sizeOf(usedBytes)}
                {limitBytes === null ? ', no limit' : ` of ${sizeOf(limitBytes)}`}
              </Amount>
            ))}
          </dl>
        )}
      </Loaded>
    </Panel>
  );
}

interface AmountProps {
  name: string;
  used: number;
  /** `null` if there is no limit. */
  most: number | null;
  children: ReactNode;
}

/** Shows how much of a limit is used, as text and as a meter if there is a limit. */
function Amount({ name, used, most, children }: AmountProps) {
  return (
    <div className="grid gap-1 text-sm">
      <dt className="font-medium">{name}</dt>
      <dd className="grid gap-1 tabular-nums">
        <span>{children}</span>
        {most !== null && most > 0 && (
          <meter className="w-full max-w-md" aria-label={`Usage of ${name}`} max={most} value={used} />
        )}
      </dd>
    </div>
  );
}
