import { chatKinds } from '../../parts/chat-kinds.ts';
import { Choose } from '../../parts/controls.tsx';
import { Rows, Text, WholeNumber } from './inputs.tsx';
import { listOf } from './record-types.tsx';
import type { Spec, SpecRoute } from './spec.ts';

const conditions = [
  ['words', 'It has one of these words'],
  ['command', 'It is a command'],
  ['everything', 'Always'],
  ['default', 'Nothing else fits'],
] as const;

interface RoutesProps {
  spec: Spec;
  onChange: (spec: Spec) => void;
}

/** The messages that each agent answers. */
export function SpecRoutes({ spec, onChange }: RoutesProps) {
  const agents = spec.agents.map(({ key }) => [key, key] as const);
  return (
    <Rows
      title="Routes"
      hint="Which agent answers which message. The highest priority wins, then the narrower place, then the first one."
      what="route"
      most={200}
      isOrdered
      items={spec.routes}
      nameOf={({ name }) => name}
      onChange={(items) => onChange({ ...spec, routes: items })}
      {...(agents[0]
        ? {
            blank: () => ({
              name: `route-${spec.routes.length + 1}`,
              agent: agents[0]?.[0] ?? '',
              where: {},
              when: { match: 'default' } as const,
              priority: 0,
            }),
          }
        : {})}
      of={(route, change) => (
        <div className="grid gap-3 md:grid-cols-2">
          <Text label="Name" value={route.name} onChange={(name) => change({ ...route, name })} />
          <Choose
            label="Agent"
            value={route.agent}
            options={
              agents.some(([key]) => key === route.agent) ? agents : [[route.agent, route.agent], ...agents]
            }
            onChoose={(agent) => change({ ...route, agent: agent ?? '' })}
          />
          <Choose
            label="Answers a message if"
            value={route.when.match}
            options={conditions}
            onChoose={(match) => change({ ...route, when: conditionOf(match) })}
          />
          <Details route={route} onChange={change} />
          <Choose
            label="In"
            value={route.where?.kind}
            options={chatKinds}
            onChoose={(kind) => change({ ...route, where: placeOf(route, kind) })}
          />
          <WholeNumber
            label="Priority"
            min={-1000}
            max={1000}
            value={route.priority ?? 0}
            onChange={(priority) => change({ ...route, priority })}
          />
        </div>
      )}
    />
  );
}

interface DetailsProps {
  route: SpecRoute;
  onChange: (route: SpecRoute) => void;
}

/** The words or the command of a condition that has some. */
function Details({ route, onChange }: DetailsProps) {
  const { when } = route;
  if (when.match === 'words')
    return (
      <Text
        label="Words"
        hint="Separated by commas. Whole words, in any case."
        value={when.words.join(', ')}
        onChange={(text) => onChange({ ...route, when: { ...when, words: listOf(text) } })}
      />
    );
  if (when.match === 'command')
    return (
      <Text
        label="Command"
        hint="Without the slash."
        value={when.command}
        onChange={(command) => onChange({ ...route, when: { ...when, command } })}
      />
    );
  return null;
}

function conditionOf(match: string | undefined): SpecRoute['when'] {
  if (match === 'words') return { match, words: [] };
  if (match === 'command') return { match, command: '' };
  return { match: match === 'everything' ? match : 'default' };
}

function placeOf({ where }: SpecRoute, kind: string | undefined): NonNullable<SpecRoute['where']> {
  const { kind: _, ...others } = where ?? {};
  return kind === undefined ? others : { ...others, kind: kind as 'private' | 'group' | 'channel' };
}
