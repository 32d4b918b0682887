import { useSearch } from '@tanstack/react-router';
import { ChevronDown, Search as SearchIcon, SlidersHorizontal } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useSeesTenant } from '../../api/acting.tsx';
import { useList } from '../../api/use-answer.ts';
import { useBots } from '../../api/use-bots.ts';
import { type Options, optionsOf, readForm } from '../../parts/controls.tsx';
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

/** The parameters of the address that narrow the list, or give it another order. */
const narrowing = [
  'bot',
  'agent',
  'version',
  'handling',
  'label',
  'outcome',
  'state',
  'from',
  'to',
  'sort',
] as const;

/** The search for chats, and what narrows it. Each choice is in the address. */
export function ChatFilters() {
  const search = useSearch({ strict: false });
  const chosen = narrowing.filter((name) => search[name]).length;
  const [isOpen, open] = useState(chosen > 0);
  const [counted, remember] = useState(chosen);
  if (counted !== chosen) {
    remember(chosen);
    if (counted === 0) open(true);
  }
  return (
    <>
      <SearchField />
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
        {isOpen && <Filters />}
      </details>
    </>
  );
}

const all = ['', 'All'] as const;

/** The filters and the order of the list. Their choices are fetched when they unfold. */
function Filters() {
  const { q, agent, version, outcome } = useSearch({ strict: false });
  const bots = useBots();
  const seesTenant = useSeesTenant();
  const labels = useLabels();
  const agents = useList('/api/definitions/agents', {
    query: { limit: 500, sort: 'name' },
    enabled: seesTenant,
  });
  const agentOptions = (agents.data ?? []).map(({ id, name }) => [id, name] as const);
  return (
    <div className="mt-2 grid grid-cols-2 gap-1.5">
      <Filter label="Handled by" name="handling" options={handlers} />
      {seesTenant && <Filter label="Bot" name="bot" options={[all, ...bots.options]} />}
      {seesTenant && (
        <Filter
          label="Agent"
          name="agent"
          options={[all, ...agentOptions]}
          besides={{ version: undefined }}
        />
      )}
      {agent !== undefined && version !== undefined && (
        <Filter
          label="Version"
          name="version"
          value={String(version)}
          options={[all, [String(version), `Version ${version}`]]}
        />
      )}
      <Filter
        label="State"
        name="state"
        options={[['', q === undefined ? 'Of the queue' : 'All'], ...states]}
      />
      <Filter
        label="Label"
        name="label"
        options={[all, ...labels.map(({ name }) => [name, name] as const)]}
      />
      <Filter
        label={version === undefined ? 'Last outcome' : 'Outcome'}
        name="outcome"
        value={outcomeOf(outcome) ?? ''}
        options={[all, ...outcomeOptions]}
      />
      <Filter label="Last message from" name="from" />
      <Filter label="to" name="to" />
      <Filter label="Sort by" name="sort" options={orders} />
    </div>
  );
}

/** `/` moves the focus here. Its text follows the page's address. */
function SearchField() {
  const { q = '' } = useSearch({ strict: false });
  const change = useChangeSearch();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current) field.current.value = q;
  }, [q]);
  return (
    <form
      className="relative"
      onSubmit={(event) => {
        event.preventDefault();
        change({ q: readForm(event.currentTarget).q || undefined });
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
        defaultValue={q}
        placeholder="Titles, names and messages"
        className="min-h-9 w-full rounded-md border border-line bg-panel pr-2 pl-8 text-sm placeholder:text-soft"
      />
    </form>
  );
}

interface FilterProps {
  label: string;
  name: (typeof narrowing)[number];
  /** The shown value, if it isn't the address's own. */
  value?: string | undefined;
  /** The first stands for no choice. Without options it is a day. */
  options?: Options;
  /** A change that goes with each choice. */
  besides?: Search;
}

function Filter({ label, name, value: ownValue, options, besides }: FilterProps) {
  const id = useId();
  const search = useSearch({ strict: false });
  const value = ownValue ?? search[name] ?? '';
  const change = useChangeSearch();
  const common = {
    id,
    value,
    onChange: ({ target }: { target: { value: string } }) =>
      change({ [name]: target.value || undefined, ...besides }),
  };
  const look = value ? 'border-accent bg-accent-tint' : 'border-line bg-panel';
  const shape = `min-h-8 w-full rounded-md border px-1 text-sm text-ink ${look}`;
  return (
    <label htmlFor={id} className="grid min-w-0 text-xs text-soft">
      {label}
      {options ? (
        <select className={`truncate ${shape}`} {...common}>
          {optionsOf(options)}
        </select>
      ) : (
        <input type="date" className={shape} {...common} />
      )}
    </label>
  );
}
