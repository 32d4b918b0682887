import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Place } from '../../../../tools/embedded/guarded-process.ts';

const run = promisify(execFile);
const ip = async (...args: string[]): Promise<void> => void (await run('ip', args));
const relay = new URL('slow-link.py', import.meta.url).pathname;

/** Each way. */
const slowDelayMs = 150;
const slowLoss = 0.05;
/** A table of routes beside the kernel's own. */
const slowTable = '100';
/** Networks for measurements (RFC 2544), which nobody's machines are in. */
const drawSubnet = () => `198.${randomInt(18, 20)}.${randomInt(256)}`;

interface Member {
  host: string;
  /** The router's interface that leads to it. */
  link: string;
}

/**
 * A network in the kernel: each member has its own namespace, and all packets pass a router in another one. The
 * router drops packets silently, like a broken cable.
 */
export class Network {
  readonly subnet = drawSubnet();
  readonly #prefix = `botyard-${process.pid}-${randomInt(1e6)}`;
  readonly #members = new Map<string, Member>();
  #rules: string[][] = [];
  #relay: ChildProcess | undefined;
  #lastHost = 1;

  /** Why networks can't be created here, as text for the output. */
  static async whyNot(): Promise<string | undefined> {
    if (process.platform !== 'linux') return 'network namespaces are of Linux';
    if (process.getuid?.() !== 0) return 'network namespaces need root';
    try {
      const network = await Network.open();
      await network.close();
      return undefined;
    } catch (error) {
      return `network namespaces can't be made: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`;
    }
  }

  /** Why no link can be made slow. */
  static async whyNotSlow(): Promise<string | undefined> {
    try {
      await Promise.all([run('python3', ['--version']), access('/dev/net/tun', constants.R_OK)]);
      return undefined;
    } catch {
      return 'slow links need python3 and /dev/net/tun';
    }
  }

  static async open(): Promise<Network> {
    await removeLeftovers();
    const network = new Network();
    try {
      await network.#setUp();
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  /** A place for a process in a namespace of its own. One that comes back gets the place that it had. */
  async join(name: string): Promise<Required<Place>> {
    const namespace = `${this.#prefix}-${name}`;
    const existingMember = this.#members.get(name);
    if (existingMember) return { host: existingMember.host, network: namespace };
    const member = this.#add(name);
    await ip('netns', 'add', namespace);
    await this.#in('link', 'add', member.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    await ip('-n', namespace, 'link', 'set', 'lo', 'up');
    await this.#lead(member, ['-n', namespace], 'eth0');
    return { host: member.host, network: namespace };
  }

  /** An address for a server of this process. */
  async joinHere(name: string): Promise<string> {
    const member = this.#add(name, this.#here);
    await ip('addr', 'add', `${member.host}/32`, 'dev', this.#here);
    await this.#in('route', 'add', `${member.host}/32`, 'dev', this.#here);
    return member.host;
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  /** Drops all packets from these senders to those receivers. */
  async lose(senders: readonly string[], receivers: readonly string[]): Promise<void> {
    await this.#rule(senders, receivers, () => ['pref', '10'], ['blackhole']);
  }

  /** Nothing passes between these and those. */
  async cut(some: readonly string[], others: readonly string[]): Promise<void> {
    await this.lose(some, others);
    await this.lose(others, some);
  }

  /** Packets between these and those take 150 ms each way, and 5 % of them are lost. */
  async slow(some: readonly string[], others: readonly string[]): Promise<void> {
    await this.#startRelay();
    const cameBy = ({ link }: Member) => ['pref', '20', 'iif', link];
    await this.#rule(some, others, cameBy, ['lookup', slowTable]);
    await this.#rule(others, some, cameBy, ['lookup', slowTable]);
  }

  async heal(): Promise<void> {
    const rules = this.#rules;
    this.#rules = [];
    for (const rule of rules) await this.#in('rule', 'del', ...rule);
  }

  async close(): Promise<void> {
    this.#relay?.kill();
    const made = await namespaces();
    for (const name of made.filter((one) => one.startsWith(this.#prefix))) await ip('netns', 'del', name);
  }

  get #router(): string {
    return `${this.#prefix}-router`;
  }

  get #routerHost(): string {
    return `${this.subnet}.1`;
  }

  /** The interface of this process to the router, and the router's to it; names have 15 letters at most. */
  get #here(): string {
    return `by${this.#prefix.replace(/\D/g, '').slice(-12)}`;
  }

  async #setUp(): Promise<void> {
    await ip('netns', 'add', this.#router);
    const settings = 'echo 1 >ip_forward; echo 0 >conf/all/rp_filter; echo 0 >conf/default/rp_filter';
    await this.#execute('sh', '-c', `cd /proc/sys/net/ipv4 && { ${settings}; }`);
    await this.#in('link', 'set', 'lo', 'up');
    await this.#in('addr', 'add', `${this.#routerHost}/32`, 'dev', 'lo');
    const here = this.#add('here', this.#here);
    await ip('link', 'add', this.#here, 'type', 'veth', 'peer', 'name', this.#here, 'netns', this.#router);
    await this.#lead(here, [], this.#here);
  }

  #add(name: string, link = `v${this.#lastHost + 1}`): Member {
    this.#lastHost += 1;
    const member = { host: `${this.subnet}.${this.#lastHost}`, link };
    this.#members.set(name, member);
    return member;
  }

  /** Makes a member's end of its link lead to all others by the router, and the router's end to it. */
  async #lead({ host, link }: Member, where: readonly string[], device: string): Promise<void> {
    await ip(...where, 'addr', 'add', `${host}/32`, 'dev', device);
    await ip(...where, 'link', 'set', device, 'up');
    await this.#in('link', 'set', link, 'up');
    await this.#in('route', 'add', `${host}/32`, 'dev', link);
    const all = `${this.subnet}.0/24`;
    await ip(...where, 'route', 'add', all, 'via', this.#routerHost, 'dev', device, 'onlink', 'src', host);
  }

  async #rule(
    senders: readonly string[],
    receivers: readonly string[],
    firstOf: (sender: Member) => string[],
    last: readonly string[],
  ): Promise<void> {
    for (const sender of senders.map((name) => this.#find(name))) {
      for (const receiver of receivers.map((name) => this.#find(name))) {
        const rule = [...firstOf(sender), 'from', sender.host, 'to', receiver.host, ...last];
        await this.#in('rule', 'add', ...rule);
        this.#rules.push(rule);
      }
    }
  }

  #find(name: string): Member {
    const member = this.#members.get(name);
    if (!member) throw new Error(`nobody is called ${name} here`);
    return member;
  }

  async #startRelay(): Promise<void> {
    if (this.#relay) return;
    const args = [`--net=/run/netns/${this.#router}`, 'python3', relay];
    this.#relay = spawn('nsenter', [...args, String(slowDelayMs / 1000), String(slowLoss)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(this.#relay.stdout!, 'data');
    await this.#in('link', 'set', 'slow', 'up');
    await this.#in('route', 'add', 'default', 'dev', 'slow', 'table', slowTable);
  }

  #in(...args: string[]): Promise<void> {
    return ip('-n', this.#router, ...args);
  }

  async #execute(file: string, ...args: string[]): Promise<void> {
    await run('nsenter', [`--net=/run/netns/${this.#router}`, file, ...args]);
  }
}

const namespaces = (): Promise<string[]> => readdir('/run/netns').catch(() => []);

/** Namespaces outlive a process that was killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await namespaces()) {
    const [, pid] = /^botyard-(\d+)-/.exec(name) ?? [];
    if (
      pid &&
      !(await access(`/proc/${pid}`).then(
        () => true,
        () => false,
      ))
    )
      await ip('netns', 'del', name);
  }
}
