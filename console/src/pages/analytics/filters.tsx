import { platforms } from 'virtual:platforms';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useList } from '../../api/use-answer.ts';
import { useBots } from '../../api/use-bots.ts';
import { Choose } from '../../parts/controls.tsx';
import type { Search } from '../../search.ts';
import { useLabels } from '../inbox/use-labels.ts';
import { namedPeriods, type Period } from './period.ts';

/** The period and the chats that all figures are about. Each choice is in the address. */
export function Filters({ period }: { period: Period }) {
  const { bot, agent, label, platform } = useSearch({ strict: false });
  const [now] = useState(() => Date.now());
  const navigate = useNavigate();
  const bots = useBots();
  const labels = useLabels();
  const agents = useList('/api/definitions/agents', { query: { limit: 500, sort: 'name' } });
  const choose = (change: Search) =>
    void navigate({ to: '.', search: (old: Search) => ({ ...old, ...change }), replace: true });
  const named = namedPeriods(now);
  const current = named.findIndex(({ from, to }) => from === period.from && to === period.to);
  const choosePeriod = (value: string | undefined) => {
    const wanted = named[Number(value)];
    if (wanted) choose({ from: wanted.from, to: wanted.to });
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
      <Day label="First day (UTC)" value={period.from} onChoose={(from) => choose({ ...period, from })} />
      <Day label="Last day (UTC)" value={period.to} onChoose={(to) => choose({ ...period, to })} />
      <Choose
        label="Bot"
        value={bot}
        options={[...all, ...bots.options]}
        onChoose={(value) => choose({ bot: value })}
      />
      <Choose
        label="Agent"
        value={agent}
        options={[...all, ...(agents.data ?? []).map(({ id, name }) => [id, name] as const)]}
        onChoose={(value) => choose({ agent: value })}
      />
      <Choose
        label="Channel"
        value={platform}
        options={[...all, ...platforms.map(({ name, title }) => [name, title] as const)]}
        onChoose={(value) => choose({ platform: value })}
      />
      <Choose
        label="Label"
        value={label}
        options={[...all, ...labels.map(({ name }) => [name, name] as const)]}
        onChoose={(value) => choose({ label: value })}
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
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
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
