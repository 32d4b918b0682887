import type { Schema } from '@botyard/client/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useActing } from '../api/acting.tsx';
import { useAnswer, useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { Bars } from '../parts/bars.tsx';
import { Button, Panel } from '../parts/controls.tsx';
import { Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { SaveFile } from '../parts/save-file.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, dollars, Time } from '../parts/text.tsx';
import { AllowancePanel, StoragePanel } from './allowances.tsx';

const path = '/api/usage/{tenantId}';

const groupings = { model: 'By model', agent: 'By agent', bot: 'By bot', key: 'By key' } as const;
type Grouping = keyof typeof groupings;
const isGrouping = (word: string | undefined): word is Grouping => word !== undefined && word in groupings;

export function Usage() {
  const { tenantId } = useActing();
  const names = { tenantId: tenantId ?? '' };
  const enabled = tenantId !== null;
  const byDay = useAnswer(path, { path: names, enabled, query: { groupBy: 'day' } });
  const storage = useAnswer(`${path}/storage`, { path: names, enabled });
  return (
    <Page title="Usage" about="The tenant's usage in this period, and its cost." answers={[byDay, storage]}>
      <Loaded answer={byDay}>
        {({ counters, periodStart, periodEnd, platformKeys, series = [] }) => (
          <>
            <Panel title="This period">
              <p className="mb-3 text-sm text-soft">
                <Time at={periodStart} /> to <Time at={periodEnd} />
              </p>
              <Figures
                figures={[
                  ['Cost', dollars(counters.costMicroUsd)],
                  ['Messages', count(counters.messages)],
                  ['Input tokens', count(counters.inputTokens)],
                  ['Output tokens', count(counters.outputTokens)],
                  ['Unpriced messages', count(counters.unpricedTurns)],
                ]}
              />
            </Panel>
            <Panel title="Messages by day">
              <Bars
                bars={series.map((group) => ({ name: group.day ?? '', value: group.counters.messages }))}
              />
            </Panel>
            <AllowancePanel uses={platformKeys} />
          </>
        )}
      </Loaded>
      <StoragePanel storage={storage} />
      <QuotaPanel names={names} isEnabled={enabled} />
      <Groups names={names} isEnabled={enabled} />
    </Page>
  );
}

interface OfTenant {
  names: Record<'tenantId', string>;
  isEnabled: boolean;
}

function QuotaPanel({ names, isEnabled }: OfTenant) {
  const quota = useAnswer(`${path}/quota`, { path: names, enabled: isEnabled });
  // The API returns 404 if the tenant has no quota.
  if (!quota.data) return null;
  const { limits, used, remaining, period, periodEnd } = quota.data;
  return (
    <Panel title={`Quota for this ${period}`}>
      <dl className="grid gap-2 text-sm">
        {Object.entries(limits).map(([limit, most]) => (
          <div key={limit} className="flex flex-wrap gap-2">
            <dt className="font-medium">{limit}</dt>
            <dd className="tabular-nums">
              {count(used[limit as keyof typeof limits] ?? 0)} of {count(most)},{' '}
              {count(remaining[limit as keyof typeof limits] ?? 0)} left until <Time at={periodEnd} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

type Group = Schema<'UsageGroup'>;

function Groups({ names, isEnabled }: OfTenant) {
  const { by: asked } = useSearch({ strict: false });
  const by = isGrouping(asked) ? asked : 'model';
  const navigate = useNavigate();
  const groupBy = by === 'key' ? 'keySource' : by;
  const groups = useAnswer(path, { path: names, enabled: isEnabled, query: { groupBy } });
  const nameOf = useNames();
  const rows = groups.data && (groups.data.series ?? []);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {Object.entries(groupings).map(([word, title]) => (
          <Button
            key={word}
            aria-pressed={word === by}
            look={word === by ? 'main' : 'plain'}
            onClick={() => void navigate({ to: '.', search: (now) => ({ ...now, by: word }), replace: true })}
          >
            {title}
          </Button>
        ))}
        <SaveFile
          name={`usage-by-${by}.csv`}
          read={() => new Blob([toCsv(rows ?? [], nameOf)], { type: 'text/csv' })}
          disabled={!rows}
        >
          Export as CSV
        </SaveFile>
      </div>
      <Table
        label={groupings[by]}
        list={{ ...groups, data: rows }}
        // Two bots may have the same name.
        keyOf={({ counters: _, ...group }) => JSON.stringify(group)}
        empty={<Empty title="No usage yet.">Usage appears here after the first answer.</Empty>}
        columns={[
          { title: groupings[by], of: nameOf },
          { title: 'Messages', of: ({ counters }) => count(counters.messages), isNumber: true },
          {
            title: 'Comparison',
            of: (group) => (
              <meter
                className="w-32"
                aria-label={`Messages: ${nameOf(group)}`}
                max={Math.max(1, ...(rows ?? []).map(({ counters }) => counters.messages))}
                value={group.counters.messages}
              />
            ),
          },
          { title: 'Input tokens', of: ({ counters }) => count(counters.inputTokens), isNumber: true },
          { title: 'Output tokens', of: ({ counters }) => count(counters.outputTokens), isNumber: true },
          { title: 'Cost', of: ({ counters }) => dollars(counters.costMicroUsd), isNumber: true },
        ]}
      />
    </>
  );
}

/** Display names of groups. */
function useNames(): (group: Group) => string {
  const bots = useBots();
  const agents = useList('/api/definitions/agents');
  return (group) => {
    if ('model' in group) return `${group.provider ?? ''} ${group.model ?? 'no model'}`.trim();
    if ('keySource' in group) return `${group.keySource} key`;
    if ('agentId' in group)
      return agents.data?.find(({ id }) => id === group.agentId)?.name ?? group.agentId ?? 'no agent';
    return bots.data?.find(({ botId }) => botId === group.botId)?.name ?? group.botId ?? 'outside chats';
  };
}

/** Quotes a CSV cell. A leading `'` keeps spreadsheets from reading a value as a formula. */
const cell = (value: string | number): string => {
  const text = String(value);
  return `"${/^[=+\-@\t\r]/.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`;
};

function toCsv(groups: readonly Group[], nameOf: (group: Group) => string): string {
  const head = ['group', 'messages', 'inputTokens', 'outputTokens', 'toolCalls', 'costMicroUsd'];
  const lines = groups.map((group) => {
    const { messages, inputTokens, outputTokens, toolCalls, costMicroUsd } = group.counters;
    return [nameOf(group), messages, inputTokens, outputTokens, toolCalls, costMicroUsd ?? ''];
  });
  return [head, ...lines].map((line) => line.map(cell).join(',')).join('\r\n');
}
