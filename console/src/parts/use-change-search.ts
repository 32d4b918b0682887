import { useNavigate } from '@tanstack/react-router';
import type { Search } from '../search.ts';

interface ChangeOptions {
  /** True for a change that the browser's back button doesn't undo. */
  replace?: boolean;
}

/** Returns a function that changes some parameters of the page's address and keeps the others. */
export function useChangeSearch({ replace = false }: ChangeOptions = {}): (change: Search) => void {
  const navigate = useNavigate();
  return (change) => void navigate({ to: '.', search: (now: Search) => ({ ...now, ...change }), replace });
}
