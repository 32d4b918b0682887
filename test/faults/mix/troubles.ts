import type { Links } from '../rig/links/links.ts';
import type { OwnPostgres } from '../rig/own-postgres.ts';
import type { WholeTown } from '../rig/whole-town.ts';
import type { Kind, Targets, Trouble } from './plan.ts';

interface Doing {
  begin(target: string): Promise<void> | void;
  /** Absent if the fault ends immediately, or by itself. */
  end?(target: string): Promise<void> | void;
}

/** More than come while a platform is in trouble. */
const always = 1_000_000;
/** A server that doesn't come up on a busy machine is tried again, as a launcher does it. */
const maxStarts = 5;

/** Applies the faults of a plan to a town, and ends them. */
export class Troubles {
  readonly #town: WholeTown;
  readonly #links: Links;
  readonly #doings: Readonly<Record<Kind, Doing>>;

  constructor(world: { town: WholeTown; links: Links; postgres: OwnPostgres }) {
    this.#town = world.town;
    this.#links = world.links;
    this.#doings = { ...doingsOfProcesses(world), ...doingsOfLinks(world), ...doingsOfPlatforms(world) };
  }

  get targets(): Targets {
    return {
      processes: this.#town.pairs.names,
      links: this.#links.names,
      natsServers: this.#town.cluster.names,
    };
  }

  begin({ kind, target }: Trouble): Promise<void> | void {
    return this.#doings[kind].begin(target);
  }

  end({ kind, target }: Trouble): Promise<void> | void {
    return this.#doings[kind].end?.(target);
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

type World = { town: WholeTown; links: Links; postgres: OwnPostgres };

const doingsOfProcesses = ({ town: { pairs, cluster }, postgres }: World) => ({
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

function doingsOfLinks({ links }: World) {
  const changed = (weather: Parameters<ReturnType<Links['find']>['change']>[0]): Doing => ({
    begin: (name) => links.find(name).change(weather),
    end: (name) => links.find(name).heal(),
  });
  return {
    'link reset': { begin: (name: string) => links.find(name).cut('reset') },
    'link ended': { begin: (name: string) => links.find(name).cut('end') },
    'link swallows': changed({ isHole: true }),
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

function doingsOfPlatforms({ town: { messenger, model } }: World) {
  const end = () => messenger.clearFaults();
  const endOfModel = () => {
    model.clearFaults();
    model.release();
  };
  const messengerFails = (error: Parameters<typeof messenger.failNext>[1]): Doing => ({
    begin: () => messenger.failNext('sendMessage', { ...error, times: always }),
    end,
  });
  const modelFails = (error: Parameters<typeof model.failNext>[0]): Doing => ({
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
