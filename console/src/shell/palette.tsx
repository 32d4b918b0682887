import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useActing } from '../api/acting.tsx';
import { Popup } from '../parts/popup.tsx';
import { Fault } from '../parts/states.tsx';
import { useFirstFocus } from '../parts/use-first-focus.ts';
import { pagesFor } from './pages.ts';
import { useThings } from './use-things.ts';

/** The command palette. It finds pages and the tenant's bots, agents, chats, people, apps and keys by name. */
export function Palette({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  return (
    <Popup title="Go to" isOpen={isOpen} onOpen={onOpen}>
      <Finder onClose={() => onOpen(false)} />
    </Popup>
  );
}

function Finder({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const field = useFirstFocus<HTMLInputElement>();
  const navigate = useNavigate();
  const { groups, errors, isSearching } = useThings(text);
  const wanted = text.trim().toLowerCase();
  const listed = pagesFor(useActing());
  const fitting = listed.filter(({ title, about }) => `${title} ${about}`.toLowerCase().includes(wanted));
  const hasAny = fitting.length > 0 || groups.length > 0;
  const go = (place: NavigateOptions) => {
    onClose();
    void navigate(place);
  };
  return (
    <Command label="Go to a page or an item" shouldFilter={false} className="grid gap-2">
      <Command.Input
        ref={field}
        value={text}
        onValueChange={setText}
        placeholder="Search pages, bots, agents, chats, people, apps and keys"
        className="w-full rounded-md border border-line bg-panel px-3 py-2 text-ink placeholder:text-soft"
      />
      <Command.List className="max-h-[50vh] overflow-auto">
        {fitting.length > 0 && (
          <Command.Group heading={<Heading title="Pages" />}>
            {fitting.map(({ to, title, about }) => (
              <Item key={to} id={`page ${to}`} name={title} about={about} onChoose={() => go({ to })} />
            ))}
          </Command.Group>
        )}
        {groups.map(({ title, things }) => (
          <Command.Group key={title} heading={<Heading title={title} />}>
            {things.map((thing) => (
              <Item
                key={thing.id}
                id={`${title} ${thing.id}`}
                name={thing.name}
                about={thing.about}
                onChoose={() => go(thing.place)}
              />
            ))}
          </Command.Group>
        ))}
      </Command.List>
      <p role="status" className="px-3 text-sm text-soft">
        {isSearching ? 'Searching…' : !hasAny && 'No results.'}
      </p>
      {errors.map(({ title, error }) => (
        <section key={title} aria-label={`${title} could not be searched`} className="grid gap-1">
          <p className="text-sm text-soft">{title} could not be searched:</p>
          <Fault error={error} />
        </section>
      ))}
    </Command>
  );
}

const Heading = ({ title }: { title: string }) => (
  <span className="block px-3 pt-2 pb-1 text-xs font-medium text-soft">{title}</span>
);

interface ItemProps {
  /** Unique and stable while the item is shown. */
  id: string;
  name: string;
  about: string;
  onChoose: () => void;
}

function Item({ id, name, about, onChoose }: ItemProps) {
  return (
    <Command.Item
      value={id}
      onSelect={onChoose}
      className="flex cursor-pointer items-baseline justify-between gap-4 rounded px-3 py-2 data-[selected=true]:bg-hover"
    >
      <span dir="auto" className="min-w-0 font-medium break-words">
        {name}
      </span>
      <span className="line-clamp-1 max-w-[60%] break-all text-soft">{about}</span>
    </Command.Item>
  );
}
