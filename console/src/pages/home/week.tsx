import type { Answer } from '@botyard/client/client';
import { useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../parts/controls.tsx';
import { Loaded } from '../../parts/states.tsx';
import { count, dollars, duration } from '../../parts/text.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { activityPath, chatFiguresPath, days, weekQueries } from './week-requests.ts';

type Chats = Answer<typeof chatFiguresPath>;
type Day = Answer<typeof activityPath>['series'][number];

/** The last seven days in UTC, today among them, beside the seven before. */
export function Week() {
  const [queries] = useState(() => weekQueries(Date.now()));
  const now = useAnswer(chatFiguresPath, { query: queries.thisWeek });
  const before = useAnswer(chatFiguresPath, { query: queries.lastWeek });
  const activity = useAnswer(activityPath, { query: queries.bothWeeks });
  return (
    <Panel title="This week">
      <Loaded answer={now}>
        {(thisWeek) => (
          <Loaded answer={before}>
            {(lastWeek) => (
              <Loaded answer={activity}>
                {({ series }) => (
                  <dl className="grid grid-cols-2 gap-x-4 gap-y-5 lg:grid-cols-5">
                    <ChatFigures now={thisWeek} before={lastWeek} />
                    <WorkFigures series={series} />
                  </dl>
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
      <p className="mt-4 text-sm">
        <TextLink to="/analytics">All figures of chats</TextLink>
      </p>
    </Panel>
  );
}

const withoutPerson = ({ chats, takenOver }: Chats): number => Math.max(0, chats - takenOver);

function ChatFigures({ now, before }: { now: Chats; before: Chats }) {
  return (
    <>
      <Figure
        name="Chats"
        now={now.chats}
        before={before.chats}
        shown={count}
        values={now.days.map(({ chats }) => chats)}
      />
      <Figure
        name="Answered without a person"
        now={withoutPerson(now)}
        before={withoutPerson(before)}
        shown={count}
      />
      <Figure
        name="First response (median)"
        now={now.firstResponse?.medianMs ?? null}
        before={before.firstResponse?.medianMs ?? null}
        shown={duration}
        isBad
      />
    </>
  );
}

function WorkFigures({ series }: { series: readonly Day[] }) {
  const compare = (of: (day: Day) => number) => {
    const values = series.map(of);
    const [thisWeek, lastWeek] = [values.slice(-days), values.slice(-2 * days, -days)];
    return { now: sumOf(thisWeek), before: sumOf(lastWeek), values: thisWeek };
  };
  return (
    <>
      <Figure name="Cost" {...compare(({ costMicroUsd }) => costMicroUsd)} shown={dollars} />
      <Figure name="Failures" {...compare(({ failures }) => failures)} shown={count} isBad />
    </>
  );
}

interface FigureProps {
  name: string;
  /** `null` if there was nothing to measure. */
  now: number | null;
  before: number | null;
  shown: (value: number) => string;
  /** Whether more of it is worse. */
  isBad?: boolean;
  /** By day. */
  values?: readonly number[];
}

function Figure({ name, now, before, shown, isBad = false, values }: FigureProps) {
  return (
    <div className="grid content-start gap-1">
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="text-2xl font-semibold tabular-nums">{now === null ? '–' : shown(now)}</dd>
      <dd className="text-xs text-soft">
        <Change now={now} before={before} isBad={isBad} />{' '}
        {before === null ? 'none last week' : `${shown(before)} last week`}
      </dd>
      {values && (
        <dd>
          <Sparkline values={values} />
        </dd>
      )}
    </div>
  );
}

function Change({ now, before, isBad }: Required<Pick<FigureProps, 'now' | 'before' | 'isBad'>>) {
  if (!before || now === null) return null;
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
