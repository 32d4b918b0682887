import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { useActing } from '../api/acting.tsx';
import { useAgents } from '../api/use-agents.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { Chart } from '../parts/chart.tsx';
import { Button, Panel } from '../parts/controls.tsx';
import { toCsv } from '../parts/csv.ts';
import { Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { SaveFile } from '../parts/save-file.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { count, dollars, periodName } from '../parts/text.tsx';
import { useChangeSearch } from '../parts/use-change-search.ts';
import { AllowancePanel, StoragePanel } from './allowances.tsx';
import { QuotaPanel } from './quota.tsx';

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
            <Panel title={periodName(periodStart, periodEnd)}>
              <Figures
                figures={[
                  ['Cost', costOf(counters)],
                  ['Messages', count(counters.messages)],
                  ['Input tokens', count(counters.inputTokens)],
                  ['Output tokens', count(counters.outputTokens)],
                  ['Unpriced messages', count(counters.unpricedTurns)],
                ]}
              />
            </Panel>
            <Chart
              title="Messages by day"
              unit="Messages"
              step="Day (UTC)"
              bars={series.map(({ day = '', counters: { messages } }) => ({
                name: day,
                short: day.slice(5),
                value: messages,
              }))}
            />
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

type Group = Schema<'UsageGroup'>;

function Groups({ names, isEnabled }: OfTenant) {
  const { by: asked } = useSearch({ strict: false });
  const by = isGrouping(asked) ? asked : 'model';
  const change = useChangeSearch({ replace: true });
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
            onClick={() => change({ by: word })}
          >
            {title}
          </Button>
        ))}
        <SaveFile
          name={`usage-by-${by}.csv`}
          read={() => toCsv(linesOf(rows ?? [], nameOf))}
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
          { title: 'Cost', of: ({ counters }) => costOf(counters), isNumber: true },
        ]}
      />
    </>
  );
}

/** Display names of groups. */
function useNames(): (group: Group) => string {
  const bots = useBots();
  const agents = useAgents();
  return (group) => {
    if ('model' in group) return `${group.provider ?? ''} ${group.model ?? 'no model'}`.trim();
    if ('keySource' in group) return `${group.keySource} key`;
    if ('agentId' in group) return group.agentId ? agents.nameOf(group.agentId) : 'no agent';
    return group.botId ? bots.nameOf(group.botId) : 'outside chats';
  };
}

function linesOf(groups: readonly Group[], nameOf: (group: Group) => string) {
  const head = ['group', 'messages', 'inputTokens', 'outputTokens', 'toolCalls', 'costMicroUsd'];
  const lines = groups.map((group) => {
    const { messages, inputTokens, outputTokens, toolCalls, costMicroUsd } = group.counters;
    return [nameOf(group), messages, inputTokens, outputTokens, toolCalls, costMicroUsd ?? ''];
  });
  return [head, ...lines];
}

/** Messages without a price cost something that isn't known, so their sum isn't $0.00. */
const costOf = ({ costMicroUsd, unpricedTurns }: Cost): string =>
  dollars(costMicroUsd === 0 && unpricedTurns > 0 ? null : costMicroUsd);

interface Cost {
  costMicroUsd: number | null;
  unpricedTurns: number;
}
