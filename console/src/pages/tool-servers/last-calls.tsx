import { useList } from '../../api/use-answer.ts';
import { Panel, State } from '../../parts/controls.tsx';
import { Empty } from '../../parts/states.tsx';
import { Table } from '../../parts/table.tsx';
import { milliseconds, Time } from '../../parts/text.tsx';
import { namesOf } from '../approvals.tsx';
import { type ToolServer, toolkitOf } from './server-words.ts';

const maxCalls = 10;

/** The newest calls of a server's tools by agents. */
export function LastCalls({ server }: { server: ToolServer }) {
  const query = { toolkit: toolkitOf(server), limit: maxCalls };
  const calls = useList('/api/integrations/history', { query });
  return (
    <Panel title="Last calls">
      <Table
        label="Last calls"
        list={calls}
        keyOf={({ executionId }) => executionId}
        empty={<Empty title="No calls yet.">Calls appear here once an agent makes them.</Empty>}
        columns={[
          { title: 'Tool', of: ({ tool }) => <span className="font-mono text-xs">{tool}</span> },
          { title: 'Requested by', of: ({ requesters }) => <bdi>{namesOf(requesters)}</bdi> },
          { title: 'Outcome', of: ({ outcome, detail }) => <Outcome outcome={outcome} detail={detail} /> },
          { title: 'Time', of: ({ startedAt }) => <Time at={startedAt} /> },
          {
            title: 'Took',
            of: ({ startedAt, endedAt }) => (endedAt ? milliseconds(timeOf(startedAt, endedAt)) : '–'),
          },
        ]}
      />
    </Panel>
  );
}

const Outcome = ({ outcome, detail }: { outcome: string; detail: string | null }) => (
  <>
    <State word={outcome} /> {detail && <bdi className="text-soft">{detail}</bdi>}
  </>
);

const timeOf = (from: string, to: string): number => Date.parse(to) - Date.parse(from);
