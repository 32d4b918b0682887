import type { Schema } from '@botyard/client/client';
import { providerNames } from '@botyard/contracts/providers';
import { useSearch } from '@tanstack/react-router';
import { useAnswer, useList } from '../api/use-answer.ts';
import { useBots } from '../api/use-bots.ts';
import { Panel } from '../parts/controls.tsx';
import { SearchChoice } from '../parts/search-form.tsx';
import { Loaded } from '../parts/states.tsx';

const path = '/api/keys/{tenantId}/resolve/{provider}';

/** Shows the key that a chat with a bot and an agent would use, and why. */
export function KeyChoice({ tenantId, keys }: { tenantId: string; keys: readonly Schema<'Key'>[] }) {
  const { kind, bot, agent } = useSearch({ strict: false });
  const bots = useBots();
  const agents = useList('/api/definitions/agents');
  const provider = providerNames.find((one) => one === kind) ?? providerNames[0];
  const query = { botId: bot, agentId: agent };
  const chosen = useAnswer(path, { path: { tenantId, provider }, query });
  return (
    <Panel title="Which key is used, and why?">
      <div className="mb-4 grid max-w-2xl gap-4 md:grid-cols-3">
        <SearchChoice
          label="Provider"
          name="kind"
          value={provider}
          options={providerNames.map((one) => [one, one] as const)}
          replace
        />
        <SearchChoice label="Bot" name="bot" options={[['', 'Any'], ...bots.options]} replace />
        <SearchChoice
          label="Agent"
          name="agent"
          options={[['', 'Any'], ...(agents.data ?? []).map(({ id, name }) => [id, name] as const)]}
          replace
        />
      </div>
      <Loaded answer={chosen}>{(found) => <Reasons found={found} keys={keys} />}</Loaded>
    </Panel>
  );
}

function Reasons({
  found: { keyId, source, considered, platformKey },
  keys,
}: {
  found: Schema<'ExplainedResolution'>;
  keys: readonly Schema<'Key'>[];
}) {
  const maskOf = (id: string) => keys.find((key) => key.keyId === id)?.maskedKey ?? 'another key';
  return (
    <div role="status" className="grid gap-2">
      <p className="font-medium">
        {source === 'none' && 'No key: a call would be rejected.'}
        {source === 'platform' && "The platform's own key."}
        {keyId !== null && (
          <>
            <code>{maskOf(keyId)}</code>, the {source}'s key.
          </>
        )}
      </p>
      <ul className="list-disc pl-5 text-sm">
        {considered.map((one) => (
          <li key={one.keyId}>
            <code>{maskOf(one.keyId)}</code>: {one.reason}
          </li>
        ))}
        {platformKey && <li>The platform's key: {platformKey.reason}</li>}
      </ul>
    </div>
  );
}
