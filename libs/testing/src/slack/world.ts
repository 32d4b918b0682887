/** Workspaces with their people, channels and files. */
import { randomBytes } from 'node:crypto';
import {
  type SlackChannel,
  SlackError,
  type SlackFile,
  type SlackMessage,
  type SlackPerson,
} from './types.ts';

/** An identifier as the platform makes them. */
export const newId = (kind: string): string => `${kind}0${randomBytes(5).toString('hex').toUpperCase()}`;

interface Upload {
  key: string;
  fileId: string;
  name: string;
  sizeBytes: number;
  /** The token that has announced it. */
  token: string;
  content?: Buffer;
}

export class SlackWorld {
  /** Organizations of workspaces. */
  readonly enterprises = new Map<string, string | null>();
  readonly people = new Map<string, SlackPerson>();
  readonly channels = new Map<string, SlackChannel>();
  readonly files = new Map<string, SlackFile>();
  readonly #uploads = new Map<string, Upload>();
  readonly #listeners = new Set<() => void>();
  #lastMicros = 0;

  /** Calls back after every change that a person sees. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  addTeam(teamId = newId('T'), enterpriseId: string | null = null): string {
    this.enterprises.set(teamId, enterpriseId);
    return teamId;
  }

  addPerson(teamId: string, person: Partial<Omit<SlackPerson, 'teamId'>> = {}): SlackPerson {
    const { id = newId('U'), name = 'anna', displayName = 'Anna', locale = 'en-US' } = person;
    const added = { id, name, displayName, locale, teamId };
    this.people.set(id, added);
    return added;
  }

  addChannel(
    teamId: string,
    { id, name = 'general', kind = 'channel', members = [], isShared = false }: NewChannel = {},
  ): SlackChannel {
    const channel = {
      id: id ?? newId(kind === 'im' ? 'D' : 'C'),
      name,
      kind,
      teamId,
      members: new Set(members),
      isArchived: false,
      isShared,
      messages: [],
    };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** The direct messages of two people, which begin with their first message. */
  direct(teamId: string, one: string, other: string): SlackChannel {
    const existing = [...this.channels.values()].find(
      ({ kind, members }) => kind === 'im' && members.has(one) && members.has(other),
    );
    return existing ?? this.addChannel(teamId, { name: 'directmessage', kind: 'im', members: [one, other] });
  }

  addFile(
    teamId: string,
    file: Pick<SlackFile, 'name' | 'mimetype' | 'content'> & Partial<SlackFile>,
  ): SlackFile {
    const added = { ...file, id: newId('F'), teamId };
    this.files.set(added.id, added);
    return added;
  }

  /** Announces a file. Its address takes the bytes once. */
  beginUpload(about: Pick<Upload, 'name' | 'sizeBytes' | 'token'>): Upload {
    const upload = { ...about, key: newId('U'), fileId: newId('F') };
    this.#uploads.set(upload.key, upload);
    return upload;
  }

  /** Takes the bytes of an announced file. Returns `false` for an unknown address. */
  upload(key: string, bytes: Buffer): boolean {
    const upload = this.#uploads.get(key);
    if (!upload || upload.content || bytes.length !== upload.sizeBytes) return false;
    upload.content = bytes;
    return true;
  }

  /** @throws SlackError unless this token has announced the file, and its bytes have come. */
  takeUpload(fileId: string, token: string): Pick<SlackFile, 'name' | 'mimetype' | 'content'> {
    const upload = this.#uploads.values().find((one) => one.fileId === fileId && one.token === token);
    if (!upload?.content) throw new SlackError('file_not_found');
    this.#uploads.delete(upload.key);
    return { name: upload.name, mimetype: 'application/octet-stream', content: upload.content };
  }

  /** @throws SlackError like the Web API. */
  channel(id: unknown): SlackChannel {
    const channel = this.channels.get(String(id));
    if (!channel) throw new SlackError('channel_not_found');
    return channel;
  }

  /** Identifies messages of a channel: never the same twice. */
  newTs(): string {
    this.#lastMicros = Math.max(Date.now() * 1000, this.#lastMicros + 1);
    const micros = String(this.#lastMicros);
    return `${micros.slice(0, -6)}.${micros.slice(-6)}`;
  }

  /** Changes a person's reaction to a message. Returns `false` if it is so already. */
  react(
    message: SlackMessage,
    { person, reaction }: { person: Pick<SlackPerson, 'id'>; reaction: string },
    isAdded: boolean,
  ): boolean {
    const people = message.reactions?.[reaction] ?? [];
    if (people.includes(person.id) === isAdded) return false;
    const others = people.filter((id) => id !== person.id);
    message.reactions = { ...message.reactions, [reaction]: isAdded ? [...others, person.id] : others };
    this.changed();
    return true;
  }

  addMessage(channel: SlackChannel, message: Omit<SlackMessage, 'ts'>): SlackMessage {
    const added = { ts: this.newTs(), ...message };
    channel.messages.push(added);
    this.changed();
    return added;
  }
}

type NewChannel = Partial<Pick<SlackChannel, 'id' | 'name' | 'kind' | 'isShared'>> & { members?: string[] };
