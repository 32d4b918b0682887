import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { useEffect } from 'react';
import { Popup } from '../parts/page.tsx';
import { pages } from './pages.ts';

/** Ctrl K or ⌘ K: every page by its name. */
export function Palette({ isOpen, onOpen }: { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  const navigate = useNavigate();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onOpen(true);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [onOpen]);
  return (
    <Popup title="Go to" isOpen={isOpen} onOpen={onOpen}>
      <Command label="Go to a page" className="grid gap-2">
        <Command.Input
          autoFocus
          placeholder="A page, or what you want to see"
          className="w-full rounded-md border border-line bg-panel px-3 py-2 text-ink placeholder:text-soft"
        />
        <Command.List className="max-h-80 overflow-auto">
          <Command.Empty className="p-3 text-soft">No page is called that.</Command.Empty>
          {pages.map(({ to, title, about }) => (
            <Command.Item
              key={to}
              value={`${title} ${about}`}
              onSelect={() => {
                onOpen(false);
                void navigate({ to });
              }}
              className="flex cursor-pointer justify-between gap-4 rounded px-3 py-2 data-[selected=true]:bg-hover"
            >
              <span className="font-medium">{title}</span>
              <span className="text-soft">{about}</span>
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Popup>
  );
}
