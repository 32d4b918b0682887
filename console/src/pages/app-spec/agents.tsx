import { useList } from '../../api/use-answer.ts';
import { Choose } from '../../parts/controls.tsx';
import { Rows, Text, Tick } from './inputs.tsx';
import { newKey, type Spec, type SpecAgent, type SpecRecordType } from './spec.ts';

interface SpecProps {
  spec: Spec;
  onChange: (spec: Spec) => void;
}

interface AddByChoiceProps {
  what: string;
  /** The choices, and the chosen ones with their keys. */
  all: readonly { id: string; name: string }[] | undefined;
  chosen: readonly { id: string; key: string }[];
  onAdd: (added: { id: string; key: string }) => void;
}

/** Adds to a spec what it doesn't have yet, with a key of its own. */
function AddByChoice({ what, all = [], chosen, onAdd }: AddByChoiceProps) {
  const free = all.filter(({ id }) => chosen.every((one) => one.id !== id));
  if (free.length === 0) return null;
  const add = (id: string | undefined) => {
    const wanted = free.find((one) => one.id === id);
    const keys = chosen.map(({ key }) => key);
    if (wanted) onAdd({ id: wanted.id, key: newKey(wanted.name, keys) });
  };
  return (
    <Choose
      label={`Add ${what}`}
      value={undefined}
      options={[['', `Choose ${what}…`], ...free.map(({ id, name }) => [id, name] as const)]}
      onChoose={add}
    />
  );
}

/** The agents that answer in the app, with what each has there beside its own. */
export function SpecAgents({ spec, onChange }: SpecProps) {
  const agents = useList('/api/definitions/agents', { query: { limit: 500, sort: 'name' } });
  const nameOf = (id: string) => agents.data?.find((agent) => agent.id === id)?.name ?? id;
  return (
    <Rows
      title="Agents"
      hint="The agents that answer in this app."
      what="agent"
      most={100}
      items={spec.agents}
      nameOf={({ agentId }) => nameOf(agentId)}
      onChange={(items) => onChange({ ...spec, agents: items })}
      of={(agent, change) => (
        <>
          <div className="grid gap-3 md:grid-cols-2">
            <p className="self-center font-medium break-words" dir="auto">
              {nameOf(agent.agentId)}
            </p>
            <Text
              label="Key"
              hint="Routes refer to the agent by it."
              value={agent.key}
              onChange={(key) => change({ ...agent, key })}
            />
          </div>
          <Extras agent={agent} spec={spec} onChange={change} />
        </>
      )}
    >
      <AddByChoice
        what="an agent"
        all={agents.data}
        chosen={spec.agents.map(({ agentId, key }) => ({ id: agentId, key }))}
        onAdd={({ id, key }) =>
          onChange({ ...spec, agents: [...spec.agents, { key, agentId: id, capabilities: [], records: [] }] })
        }
      />
    </Rows>
  );
}

interface ExtrasProps {
  agent: SpecAgent;
  spec: Spec;
  onChange: (agent: SpecAgent) => void;
}

function Extras({ agent, spec, onChange }: ExtrasProps) {
  const { capabilities = [], records = [] } = agent;
  const setCapability = (key: string, isOn: boolean) =>
    onChange({
      ...agent,
      capabilities: isOn ? [...capabilities, key] : capabilities.filter((one) => one !== key),
    });
  const setRecord = ({ name }: SpecRecordType, verb: 'save' | 'find', isOn: boolean) => {
    const may = records.find(({ type }) => type === name)?.may ?? [];
    const changed = isOn ? [...may, verb] : may.filter((one) => one !== verb);
    const others = records.filter(({ type }) => type !== name);
    onChange({ ...agent, records: changed.length > 0 ? [...others, { type: name, may: changed }] : others });
  };
  if (spec.capabilities.length + spec.recordTypes.length === 0) return null;
  return (
    <div className="flex flex-wrap gap-x-5">
      {spec.capabilities.map(({ key }) => (
        <Tick
          key={key}
          label={`Has the capability ${key}`}
          isOn={capabilities.includes(key)}
          onChange={(isOn) => setCapability(key, isOn)}
        />
      ))}
      {spec.recordTypes.flatMap((type) =>
        (['save', 'find'] as const).map((verb) => (
          <Tick
            key={`${type.name} ${verb}`}
            label={`${verb === 'save' ? 'Saves' : 'Finds'} ${type.label ?? type.name}`}
            isOn={records.some((one) => one.type === type.name && one.may.includes(verb))}
            onChange={(isOn) => setRecord(type, verb, isOn)}
          />
        )),
      )}
    </div>
  );
}

/** Capabilities that the app's agents may have beside their own. */
export function SpecCapabilities({ spec, onChange }: SpecProps) {
  const all = useList('/api/definitions/capabilities', { query: { limit: 500 } });
  const nameOf = (id: string) => all.data?.find((one) => one.id === id)?.name ?? id;
  return (
    <Rows
      title="Capabilities"
      hint="Capabilities that agents may have in this app, beside their own."
      what="capability"
      most={50}
      items={spec.capabilities}
      nameOf={({ capabilityId }) => nameOf(capabilityId)}
      onChange={(items) => onChange({ ...spec, capabilities: items })}
      of={({ capabilityId, key }, change) => (
        <div className="grid gap-3 md:grid-cols-2">
          <p className="self-center font-medium break-words" dir="auto">
            {nameOf(capabilityId)}
          </p>
          <Text label="Key" value={key} onChange={(to) => change({ capabilityId, key: to })} />
        </div>
      )}
    >
      <AddByChoice
        what="a capability"
        all={all.data}
        chosen={spec.capabilities.map(({ capabilityId, key }) => ({ id: capabilityId, key }))}
        onAdd={({ id, key }) =>
          onChange({ ...spec, capabilities: [...spec.capabilities, { key, capabilityId: id }] })
        }
      />
    </Rows>
  );
}
