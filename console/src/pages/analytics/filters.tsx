import { platforms } from 'virtual:platforms';
import { useId, useState } from 'react';
import { useList } from '../../api/use-answer.ts';
import { useBots } from '../../api/use-bots.ts';
import { Choose, Label } from '../../parts/controls.tsx';
import { SearchChoice } from '../../parts/search-form.tsx';
import { useChangeSearch } from '../../parts/use-change-search.ts';
import { useLabels } from '../inbox/use-labels.ts';
import { namedPeriods, type Period } from './period.ts';

/** The period and the chats that all figures are about. Each choice is in the address. */
export function Filters({ period }: { period: Period }) {
  const [now] = useState(() => Date.now());
  const bots = useBots();
  const labels = useLabels();
  const agents = useList('/api/definitions/agents', { query: { limit: 500, sort: 'name' } });
  const change = useChangeSearch({ replace: true });
  const named = namedPeriods(now);
  const current = named.findIndex(({ from, to }) => from === period.from && to === period.to);
  const choosePeriod = (value: string | undefined) => {
    const wanted = named[Number(value)];
    if (wanted) change({ from: wanted.from, to: wanted.to });
  };
  const all = [['', 'All']] as const;
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-7">
      <Choose
        label="Period"
        value={current < 0 ? undefined : String(current)}
        options={[
          ...(current < 0 ? [['', 'Chosen days'] as const] : []),
          ...named.map(({ name }, index) => [String(index), name] as const),
        ]}
        onChoose={choosePeriod}
      />
      <Day label="First day (UTC)" value={period.from} onChoose={(from) => change({ ...period, from })} />
      <Day label="Last day (UTC)" value={period.to} onChoose={(to) => change({ ...period, to })} />
      <SearchChoice label="Bot" name="bot" options={[...all, ...bots.options]} replace />
      <SearchChoice
        label="Agent"
        name="agent"
        options={[...all, ...(agents.data ?? []).map(({ id, name }) => [id, name] as const)]}
        replace
      />
      <SearchChoice
        label="Channel"
        name="platform"
        options={[...all, ...platforms.map(({ name, title }) => [name, title] as const)]}
        replace
      />
      <SearchChoice
        label="Label"
        name="label"
        options={[...all, ...labels.map(({ name }) => [name, name] as const)]}
        replace
      />
    </div>
  );
}

interface DayProps {
  label: string;
  value: string;
  onChoose: (day: string) => void;
}

function Day({ label, value, onChoose }: DayProps) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <Label of={id}>{label}</Label>
      <input
        id={id}
        type="date"
        value={value}
        className="min-h-9 w-full min-w-0 rounded-md border border-line bg-panel px-2 py-1.5 text-ink"
        onChange={({ target }) => target.value && onChoose(target.value)}
      />
    </div>
  );
}
