import { useSearch } from '@tanstack/react-router';
import { ChevronDown, Search as SearchIcon, SlidersHorizontal } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSeesTenant } from '../../api/acting.tsx';
import { useList } from '../../api/use-answer.ts';
import { useBots } from '../../api/use-bots.ts';
import { readForm } from '../../parts/controls.tsx';
import { outcomeOf, outcomeOptions } from '../../parts/outcome-words.ts';
import { useChangeSearch } from '../../parts/use-change-search.ts';
import type { Search } from '../../search.ts';
import { useLabels } from './use-labels.ts';

const handlers = [
  ['', 'All'],
  ['bot', 'Bot'],
  ['person', 'Person'],
] as const;
const states = [
  ['open', 'Open'],
  ['waiting', 'Waiting'],
  ['snoozed', 'Snoozed'],
  ['resolved', 'Resolved'],
] as const;
const orders = [
  ['', 'Last message'],
  ['lastMessageAt', 'Longest without a message'],
  ['-createdAt', 'Newest chat'],
  ['createdAt', 'Oldest chat'],
] as const;

/** The search for chats, and what narrows it. Each choice is in the address. */
export function ChatFilters() {
  const { q, bot, agent, version, handling, label, outcome, state, from, to, sort } = useSearch({
    strict: false,
  });
  const choose = useChangeSearch();
  const chosen = [bot, agent, version, handling, label, outcome, state, from, to, sort].filter(
    Boolean,
  ).length;
  const [isOpen, open] = useState(chosen > 0);
  const [counted, remember] = useState(chosen);
  if (counted !== chosen) {
    remember(chosen);
    if (counted === 0) open(true);
  }
  return (
    <>
      <SearchField value={q} onSearch={(text) => choose({ q: text })} />
      <details
        className="group/filters"
        open={isOpen}
        onToggle={({ currentTarget }) => open(currentTarget.open)}
      >
        <summary className="flex cursor-pointer items-center gap-1.5 text-xs text-soft hover:text-ink">
          <SlidersHorizontal aria-hidden="true" className="size-3.5" />
          Filter and sort{chosen > 0 && ` (${chosen})`}
          <ChevronDown
            aria-hidden="true"
            className="size-3.5 transition-transform group-open/filters:rotate-180"
          />
        </summary>
        {isOpen && <Filters onChoose={choose} />}
      </details>
    </>
  );
}

/** The filters and the order of the list. Their choices are fetched when they unfold. */
function Filters({ onChoose }: { onChoose: (change: Search) => void }) {
  const { q, bot, agent, version, handling, label, outcome, state, from, to, sort } = useSearch({
    strict: false,
  });
  const bots = useBots();
  const seesTenant = useSeesTenant();
  const labels = useLabels();
  const agents = useList('/api/definitions/agents', {
    query: { limit: 500, sort: 'name' },
    enabled: seesTenant,
  });
  return (
    <div className="mt-2 grid grid-cols-2 gap-1.5">
      <Filter
        label="Handled by"
        value={handling}
        options={handlers}
        onChoose={(value) => onChoose({ handling: value })}
      />
      {seesTenant && (
        <Filter
          label="Bot"
          value={bot}
          options={[['', 'All'], ...bots.options]}
          onChoose={(value) => onChoose({ bot: value })}
        />
      )}
      {seesTenant && (
        <Filter
          label="Agent"
          value={agent}
          options={[['', 'All'], ...(agents.data ?? []).map(({ id, name }) => [id, name] as const)]}
          onChoose={(value) => onChoose({ agent: value, version: undefined })}
        />
      )}
      {agent !== undefined && version !== undefined && (
        <Filter
          label="Version"
          value={String(version)}
          options={[
            ['', 'All'],
            [String(version), `Version ${version}`],
          ]}
          onChoose={() => onChoose({ version: undefined })}
        />
      )}
      <Filter
        label="State"
        value={state}
        options={[['', q === undefined ? 'Of the queue' : 'All'], ...states]}
        onChoose={(value) => onChoose({ state: value })}
      />
      <Filter
        label="Label"
        value={label}
        options={[['', 'All'], ...labels.map(({ name }) => [name, name] as const)]}
        onChoose={(value) => onChoose({ label: value })}
      />
      <Filter
        label={version === undefined ? 'Last outcome' : 'Outcome'}
        value={outcomeOf(outcome)}
        options={[['', 'All'], ...outcomeOptions]}
        onChoose={(value) => onChoose({ outcome: value })}
      />
      <DayFilter label="Last message from" value={from} onChoose={(value) => onChoose({ from: value })} />
      <DayFilter label="to" value={to} onChoose={(value) => onChoose({ to: value })} />
      <Filter label="Sort by" value={sort} options={orders} onChoose={(value) => onChoose({ sort: value })} />
    </div>
  );
}

/** `/` moves the focus here. Its text follows the page's address. */
function SearchField({
  value = '',
  onSearch,
}: {
  value: string | undefined;
  onSearch: (text: string | undefined) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current) field.current.value = value;
  }, [value]);
  return (
    <form
      className="relative"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(readForm(event.currentTarget).q || undefined);
      }}
    >
      <SearchIcon aria-hidden="true" className="absolute top-2.5 left-2.5 size-4 text-soft" />
      <input
        ref={field}
        name="q"
        type="search"
        aria-label="Search"
        aria-keyshortcuts="/"
        autoComplete="off"
        dir="auto"
        defaultValue={value}
        placeholder="Titles, names and messages"
        className="min-h-9 w-full rounded-md border border-line bg-panel pr-2 pl-8 text-sm placeholder:text-soft"
      />
    </form>
  );
}

interface FilterProps {
  label: string;
  value: string | undefined;
  /** Pairs of value and label. The first stands for no choice. */
  options: readonly (readonly [value: string, shown: string])[];
  onChoose: (value: string | undefined) => void;
}

function DayFilter({ label, value, onChoose }: Omit<FilterProps, 'options'>) {
  return (
    <label className="grid min-w-0 text-xs text-soft">
      {label}
      <input
        type="date"
        className={`min-h-8 w-full rounded-md border px-1 text-sm text-ink ${lookOf(value)}`}
        value={value ?? ''}
        onChange={({ target }) => onChoose(target.value || undefined)}
      />
    </label>
  );
}

const lookOf = (value: string | undefined): string =>
  value ? 'border-accent bg-accent-tint' : 'border-line bg-panel';

function Filter({ label, value, options, onChoose }: FilterProps) {
  return (
    <label className="grid min-w-0 text-xs text-soft">
      {label}
      <select
        className={`min-h-8 w-full truncate rounded-md border px-1 text-sm text-ink ${lookOf(value)}`}
        value={value ?? ''}
        onChange={({ target }) => onChoose(target.value || undefined)}
      >
        {options.map(([sent, shown]) => (
          <option key={sent} value={sent}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}
