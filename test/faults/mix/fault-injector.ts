import type { Links } from '../rig/links/links.ts';
import type { OwnPostgres } from '../rig/own-postgres.ts';
import type { RedundantSystem } from '../rig/redundant-system.ts';
import type { Kind, PlannedFault, Targets } from './plan.ts';

interface FaultAction {
  begin(target: string): Promise<void> | void;
  /** Absent if the fault ends immediately, or by itself. */
  end?(target: string): Promise<void> | void;
}

/** More than come during a fault of a platform. */
const always = 1_000_000;
/** A server that doesn't come up on a busy machine is tried again, as a launcher does it. */
const maxStarts = 5;

/** Applies the faults of a plan to a system, and ends them. */
export class FaultInjector {
  readonly #system: RedundantSystem;
  readonly #links: Links;
  readonly #actions: Readonly<Record<Kind, FaultAction>>;

  constructor(components: Components) {
    this.#system = components.system;
    this.#links = components.links;
    this.#actions = {
      ...actionsOnProcesses(components),
      ...actionsOnLinks(components),
      ...actionsOnPlatforms(components),
    };
  }

  get targets(): Targets {
    return {
      processes: this.#system.pairs.names,
      links: this.#links.names,
      natsServers: this.#system.cluster.names,
    };
  }

  begin({ kind, target }: PlannedFault): Promise<void> | void {
    return this.#actions[kind].begin(target);
  }

  end({ kind, target }: PlannedFault): Promise<void> | void {
    return this.#actions[kind].end?.(target);
  }
}

async function startAgain(start: () => Promise<void>): Promise<void> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await start();
    } catch (error) {
      if (starts >= maxStarts) throw error;
    }
  }
}

type Components = { system: RedundantSystem; links: Links; postgres: OwnPostgres };

const actionsOnProcesses = ({ system: { pairs, cluster }, postgres }: Components) => ({
  'process killed': { begin: (name: string) => pairs.signal(name, 'SIGKILL') },
  'process paused': {
    begin: (name: string) => pairs.signal(name, 'SIGSTOP'),
    end: (name: string) => pairs.signal(name, 'SIGCONT'),
  },
  'nats killed': {
    begin: (name: string) => cluster.kill(name),
    end: (name: string) => startAgain(() => cluster.startAgain(name)),
  },
  'nats paused': {
    begin: (name: string) => cluster.pause(name),
    end: (name: string) => cluster.wake(name),
  },
  'postgres killed': {
    begin: () => postgres.kill(),
    end: () => startAgain(() => postgres.startAgain()),
  },
});

function actionsOnLinks({ links }: Components) {
  const changed = (conditions: Parameters<ReturnType<Links['find']>['change']>[0]): FaultAction => ({
    begin: (name) => links.find(name).change(conditions),
    end: (name) => links.find(name).heal(),
  });
  return {
    'link reset': { begin: (name: string) => links.find(name).cut('reset') },
    'link ended': { begin: (name: string) => links.find(name).cut('end') },
    'link swallows': changed({ isBlackhole: true }),
    'link slow': changed({ delayMs: 150, jitterMs: 150 }),
    'link narrow': changed({ bytesPerSecond: 20_000 }),
    'link refuses': {
      begin: (name: string) => {
        links.find(name).refuse();
        links.find(name).cut('reset');
      },
      end: (name: string) => links.find(name).heal(),
    },
  };
}

function actionsOnPlatforms({ system: { messenger, model } }: Components) {
  const end = () => messenger.clearFaults();
  const endOfModel = () => {
    model.clearFaults();
    model.release();
  };
  const messengerFails = (error: Parameters<typeof messenger.failNext>[1]): FaultAction => ({
    begin: () => messenger.failNext('sendMessage', { ...error, times: always }),
    end,
  });
  const modelFails = (error: Parameters<typeof model.failNext>[0]): FaultAction => ({
    begin: () => model.failNext({ ...error, times: always }),
    end: endOfModel,
  });
  return {
    'messenger 429': messengerFails({ status: 429, retryAfter: 2 }),
    'messenger 500': messengerFails({ status: 500 }),
    'messenger hangs': { begin: () => messenger.fail('sendMessage', { hang: true, times: always }), end },
    // Once: the repeated message has to arrive, or one failure would be many.
    'messenger loses its answer': { begin: () => messenger.fail('sendMessage', { cut: 'after' }), end },
    'model 429': modelFails({ status: 429, retryAfter: 1 }),
    'model 500': modelFails({ status: 500 }),
    'model hangs': { begin: () => model.hang(), end: endOfModel },
  };
}
