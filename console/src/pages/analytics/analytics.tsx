import type { Schema } from '@botyard/client/client';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Chart } from '../../parts/chart.tsx';
import { Panel } from '../../parts/controls.tsx';
import { toCsv } from '../../parts/csv.ts';
import { Page } from '../../parts/page.tsx';
import { SaveFile } from '../../parts/save-file.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { completeList, Table } from '../../parts/table.tsx';
import { count, dollars, duration, periodName } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { Filters } from './filters.tsx';
import { Outcomes } from './outcomes.tsx';
import { dayOf, lastDays, usualDays } from './period.ts';

type Figures = Schema<'ChatAnalytics'>;

const dayMs = 24 * 3600_000;
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** How the chats of a period went. */
export function Analytics() {
  const { from, to, bot, agent, label, platform } = useSearch({ strict: false });
  const [usual] = useState(() => lastDays(usualDays, Date.now()));
  const period = { from: from ?? usual.from, to: to ?? usual.to };
  const analytics = useAnswer('/api/analytics/chats', {
    query: { ...period, botId: bot, agentId: agent, label, platform },
  });
  return (
    <Page title="Analytics" about="How the chats of a period went." answers={[analytics]}>
      <Filters period={period} />
      <Loaded answer={analytics}>{(figures) => <Report figures={figures} />}</Loaded>
      <Outcomes period={period} />
    </Page>
  );
}

function Report({ figures }: { figures: Figures }) {
  const { from, to, days, hours } = figures;
  const byHour = Array.from({ length: 24 }, (_, hour) => ({
    name: `${hour}:00`,
    short: String(hour),
    value: hours.filter((one) => one.hour === hour).reduce((sum, { messagesIn }) => sum + messagesIn, 0),
  }));
  const barsOf = (name: 'chats' | 'messagesIn') =>
    days.map((one) => ({ name: one.day, short: one.day.slice(5), value: one[name] }));
  return (
    <>
      <Panel title={periodName(from, dayOf(Date.parse(to) + dayMs))}>
        <Summary figures={figures} />
      </Panel>
      <Chart title="Chats by day" unit="Chats" step="Day (UTC)" bars={barsOf('chats')} />
      <Chart title="Messages by day" unit="Messages of people" step="Day (UTC)" bars={barsOf('messagesIn')} />
      <Chart title="Busiest hours" unit="Messages of people" step="Hour of the day (UTC)" bars={byHour} />
      <Chart
        title="Busiest days"
        unit="Messages of people"
        step="Day of the week (UTC)"
        bars={weekdays.map((name, index) => ({
          name,
          short: name.slice(0, 3),
          value: hours
            .filter(({ weekday }) => weekday === index + 1)
            .reduce((sum, { messagesIn }) => sum + messagesIn, 0),
        }))}
      />
      <Takeovers takeovers={figures.takeovers} />
      <Unanswered questions={figures.unanswered} />
    </>
  );
}

const shareOf = (part: number, whole: number): string =>
  whole === 0 ? '' : `${Math.round((part / whole) * 100)} % of chats`;

function Summary({ figures }: { figures: Figures }) {
  const { chats, newChats, resolvedWithoutPerson, takenOver, firstResponse, costMicroUsd } = figures;
  const shown: readonly (readonly [name: string, value: string, about?: string])[] = [
    ['Chats', count(chats), `${count(newChats)} new`],
    ['Resolved without a person', count(resolvedWithoutPerson), shareOf(resolvedWithoutPerson, chats)],
    ['Taken over', count(takenOver), shareOf(takenOver, chats)],
    [
      'First response (median)',
      firstResponse ? duration(firstResponse.medianMs) : '–',
      firstResponse ? `90 % within ${duration(firstResponse.p90Ms)}` : 'no reply',
    ],
    [
      'Cost for a chat',
      costMicroUsd === null || chats === 0 ? '–' : dollars(costMicroUsd / chats),
      costMicroUsd === null ? 'not available now' : `${dollars(costMicroUsd)} in all, without trials`,
    ],
    ['Messages of people', count(figures.messagesIn)],
    ['Replies of bots', count(figures.replies)],
    ['Messages of staff', count(figures.staffReplies)],
  ];
  return (
    <div className="grid gap-4">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-5 lg:grid-cols-4">
        {shown.map(([name, value, about]) => (
          <div key={name}>
            <dt className="text-sm text-soft">{name}</dt>
            <dd className="text-2xl font-semibold tabular-nums">{value}</dd>
            {about && <dd className="text-xs text-soft">{about}</dd>}
          </div>
        ))}
      </dl>
      <div>
        <SaveFile
          name={`analytics-${figures.from}-${figures.to}.csv`}
          read={() =>
            toCsv([
              ['day', 'chats', 'messagesIn', 'replies', 'staffReplies'],
              ...figures.days.map((one) => [
                one.day,
                one.chats,
                one.messagesIn,
                one.replies,
                one.staffReplies,
              ]),
            ])
          }
        >
          Export all days as CSV
        </SaveFile>
      </div>
    </div>
  );
}

function Takeovers({ takeovers }: { takeovers: Figures['takeovers'] }) {
  return (
    <section className="grid gap-3">
      <h2 className="text-lg font-semibold">Why agents asked for a person</h2>
      <Table
        label="Reasons"
        list={completeList(takeovers)}
        keyOf={({ reason }) => reason}
        empty={<Empty title="No agent asked for a person." />}
        columns={[
          { title: 'Reason', of: ({ reason }) => reason },
          { title: 'Chats', of: ({ chats }) => count(chats), isNumber: true },
        ]}
      />
      {takeovers.length > 0 && (
        <div>
          <SaveFile
            name="takeovers.csv"
            read={() => toCsv([['reason', 'chats'], ...takeovers.map((one) => [one.reason, one.chats])])}
          >
            Export reasons as CSV
          </SaveFile>
        </div>
      )}
    </section>
  );
}

function Unanswered({ questions }: { questions: Figures['unanswered'] }) {
  return (
    <section className="grid gap-3">
      <h2 className="text-lg font-semibold">Top questions without an answer</h2>
      <Table
        label="Questions"
        list={completeList(questions)}
        keyOf={({ text }) => text}
        empty={<Empty title="Every question got an answer." />}
        columns={[
          {
            title: 'Question',
            of: ({ text, chatId }) => (
              <TextLink to="/inbox/$chatId" params={{ chatId }}>
                {text}
              </TextLink>
            ),
          },
          { title: 'Times', of: ({ times }) => count(times), isNumber: true },
        ]}
      />
      {questions.length > 0 && (
        <div>
          <SaveFile
            name="questions.csv"
            read={() => toCsv([['question', 'times'], ...questions.map((one) => [one.text, one.times])])}
          >
            Export questions as CSV
          </SaveFile>
        </div>
      )}
    </section>
  );
}
