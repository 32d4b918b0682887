import type { Answer } from '@botyard/client/client';
import { useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../parts/controls.tsx';
import { Loaded } from '../../parts/states.tsx';
import { count, dollars } from '../../parts/text.tsx';

type Day = Answer<'/api/dashboard/activity'>['series'][number];

const dayMs = 24 * 3600_000;
const days = 7;

interface Figure {
  name: string;
  of: (day: Day) => number;
  shown: (value: number) => string;
  /** Whether more of it is worse. */
  isBad?: boolean;
}

const figures: readonly Figure[] = [
  { name: 'Messages received', of: ({ messagesIn }) => messagesIn, shown: count },
  { name: 'Answers', of: ({ answers }) => answers, shown: count },
  { name: 'Failures', of: ({ failures }) => failures, shown: count, isBad: true },
  { name: 'Cost', of: ({ costMicroUsd }) => costMicroUsd, shown: dollars },
];

/** The last seven days, today among them, beside the seven before. */
export function Week() {
  const [from] = useState(() => new Date(Date.now() - (2 * days - 1) * dayMs).toISOString());
  const activity = useAnswer('/api/dashboard/activity', { query: { unit: 'day', from } });
  return (
    <Panel title="This week">
      <Loaded answer={activity}>
        {({ series }) => (
          <dl className="grid grid-cols-2 gap-x-4 gap-y-5 lg:grid-cols-4">
            {figures.map((figure) => (
              <WeekFigure key={figure.name} figure={figure} series={series} />
            ))}
          </dl>
        )}
      </Loaded>
    </Panel>
  );
}

function WeekFigure({
  figure: { name, of, shown, isBad },
  series,
}: {
  figure: Figure;
  series: readonly Day[];
}) {
  const values = series.map(of);
  const [now, before] = [sumOf(values.slice(-days)), sumOf(values.slice(-2 * days, -days))];
  return (
    <div className="grid content-start gap-1">
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="text-2xl font-semibold tabular-nums">{shown(now)}</dd>
      <dd className="text-xs text-soft">
        <Change now={now} before={before} isBad={isBad ?? false} /> {shown(before)} last week
      </dd>
      <dd>
        <Sparkline values={values.slice(-days)} />
      </dd>
    </div>
  );
}

function Change({ now, before, isBad }: { now: number; before: number; isBad: boolean }) {
  if (before === 0) return null;
  const percent = Math.round(((now - before) / before) * 100);
  const tone = percent === 0 ? '' : percent > 0 === isBad ? 'text-bad' : 'text-good';
  return (
    <span className={`font-medium ${tone}`}>
      {percent > 0 && '+'}
      {percent} %
    </span>
  );
}

const height = 28;
const step = 16;

/** One bar a day. The figure above says the sum. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  return (
    <svg viewBox={`0 0 ${days * step} ${height}`} aria-hidden="true" className="h-7 w-28">
      {values.map((value, index) => {
        const size = Math.max(2, (value / most) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place in the week.
            key={index}
            x={index * step}
            y={height - size}
            width={step - 4}
            height={size}
            rx="2"
            className={value > 0 ? 'fill-accent' : 'fill-line'}
          />
        );
      })}
    </svg>
  );
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
