import type { ConsolePerson } from '@botyard/contracts/console';
import { consolePaths } from '@botyard/contracts/console-paths';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';

/** Warns that development mode lets everyone on this machine in. */
export function DevelopmentBanner() {
  const { as = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const people = useQuery({
    queryKey: ['people of the sandbox'],
    retry: false,
    queryFn: async () => {
      const response = await fetch(consolePaths.people);
      return response.ok ? ((await response.json()) as ConsolePerson[]) : [];
    },
  });
  return (
    <section
      aria-label="Development mode"
      className="flex flex-wrap items-center justify-between gap-2 border-b border-line bg-warn-tint px-4 py-1.5 text-xs text-warn"
    >
      <p>
        <strong>Development mode.</strong> There is no sign-in: everyone on this machine has access.
      </p>
      <label className="flex max-w-full items-center gap-2 whitespace-nowrap">
        Act as
        <select
          className="w-72 min-w-0 rounded-md border border-line bg-panel px-2 py-1 text-ink"
          value={as}
          onChange={({ target }) =>
            void navigate({ to: '/', search: { as: target.value || undefined, tenant: undefined } })
          }
        >
          <option value="">Development admin (operator)</option>
          {people.data?.map(({ userId, name, about }) => (
            <option key={userId} value={userId}>
              {name}: {about}
            </option>
          ))}
        </select>
      </label>
    </section>
  );
}
