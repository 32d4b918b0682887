import { platformTitles } from 'virtual:platform-titles';
import type { Schema } from '@botyard/client/client';
import { outcomeWords } from '@botyard/contracts/outcome-words';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { Choose } from '../../parts/controls.tsx';
import { toCsv } from '../../parts/csv.ts';
import { type Outcome, outcomeOptions } from '../../parts/outcome-words.ts';
import { SaveFile } from '../../parts/save-file.tsx';
import { SearchChoice } from '../../parts/search-form.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { completeList, Table } from '../../parts/table.tsx';
import { count, dollars, duration } from '../../parts/text.tsx';
import type { Period } from './period.ts';

type Figures = Schema<'OutcomeAnalytics'>;
type Group = Figures['groups'][number];

const groupings = [
  ['week', 'Week'],
  ['agent', 'Agent'],
  ['version', 'Version'],
  ['bot', 'Bot'],
  ['channel', 'Channel'],
] as const;
type GroupedBy = (typeof groupings)[number][0];

const groupingOf = (by: string | undefined): GroupedBy =>
  groupings.find(([name]) => name === by)?.[0] ?? 'week';

/** The outcomes of a period's sessions by week, agent, version, bot or channel. */
export function Outcomes({ period }: { period: Period }) {
  const { bot, agent, label, platform, by: chosen } = useSearch({ strict: false });
  const by = groupingOf(chosen);
  const [outcome, setOutcome] = useState<Outcome>('resolved');
  const outcomes = useAnswer('/api/analytics/outcomes', {
    query: { ...period, botId: bot, agentId: agent, label, platform, by },
  });
  return (
    <section className="grid gap-3" aria-label="Outcomes of sessions">
      <h2 className="text-lg font-semibold">Outcomes of sessions</h2>
      <p className="text-sm text-soft">
        A session begins with the first message, after /new, or after 24 hours of silence. It is counted from
        an hour after the first answer; whether it was resolved shows after a day.
      </p>
      <div className="grid max-w-md grid-cols-2 gap-3">
        <SearchChoice label="Group by" name="by" value={by} options={groupings} replace />
        <Choose
          label="Outcome in the chart"
          value={outcome}
          options={outcomeOptions}
          onChoose={(value) => setOutcome((value ?? 'resolved') as Outcome)}
        />
      </div>
      <Loaded answer={outcomes}>{(figures) => <Report figures={figures} by={by} outcome={outcome} />}</Loaded>
    </section>
  );
}

/** A name that is unique among the groups. */
function nameOf({ agentId, agentVersion, botId, platform, week, name }: Group): string {
  if (week) return week;
  if (platform) return platformTitles[platform] ?? platform;
  const title = name ?? `Deleted (${(agentId ?? botId ?? '').slice(-6)})`;
  if (agentVersion === undefined) return title;
  return `${title}, ${agentVersion === null ? 'earlier versions' : `version ${agentVersion}`}`;
}

const shareOf = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${count(part)} (${Math.round((100 * part) / whole)} %)`;

interface ReportProps {
  figures: Figures;
  by: GroupedBy;
  outcome: Outcome;
}

function Report({ figures, by, outcome }: ReportProps) {
  const { groups } = figures;
  const step = by === 'week' ? 'Week from (UTC)' : (groupings.find(([name]) => name === by)?.[1] ?? '');
  return (
    <>
      <Chart
        title={`${outcomeWords[outcome].label}, by ${by}`}
        unit="Sessions"
        step={step}
        bars={groups.map((group) => ({
          name: nameOf(group),
          short: by === 'week' ? nameOf(group).slice(5) : nameOf(group).slice(0, 12),
          value: group.outcomes[outcome],
        }))}
      />
      <Table
        label="Outcomes"
        list={completeList(groups)}
        keyOf={nameOf}
        empty={<Empty title="No session in this period is an hour old." />}
        columns={[
          { title: step, of: nameOf },
          { title: 'Sessions', of: ({ sessions }) => count(sessions), isNumber: true },
          ...outcomeOptions.map(([name, words]) => ({
            title: words,
            of: ({ outcomes, sessions }: Group) => shareOf(outcomes[name], sessions),
            isNumber: true,
          })),
          {
            title: 'Cost each',
            of: ({ costMicroUsd, sessions }) =>
              costMicroUsd === null ? '–' : dollars(costMicroUsd / sessions),
            isNumber: true,
          },
          {
            title: 'Answering each',
            of: ({ durationMs, sessions }) => duration(durationMs / sessions),
            isNumber: true,
          },
        ]}
      />
      {groups.length > 0 && (
        <div>
          <SaveFile
            name={`outcomes-by-${by}-${figures.from}-${figures.to}.csv`}
            read={() =>
              toCsv([
                [
                  by,
                  'sessions',
                  'undecided',
                  ...outcomeOptions.map(([name]) => name),
                  'costMicroUsd',
                  'durationMs',
                ],
                ...groups.map((group) => [
                  nameOf(group),
                  group.sessions,
                  group.undecided,
                  ...outcomeOptions.map(([name]) => group.outcomes[name]),
                  group.costMicroUsd ?? '',
                  group.durationMs,
                ]),
              ])
            }
          >
            Export outcomes as CSV
          </SaveFile>
        </div>
      )}
    </>
  );
}
