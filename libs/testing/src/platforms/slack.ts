import { randomUUID } from 'node:crypto';
import { type FakeSlack, startFakeSlack } from '../fake-slack.ts';
import { signed } from '../slack/delivery.ts';
import {
  buttonsUnder,
  envelope,
  type Fields,
  messageEvent,
  messageFields,
  pressForm,
  reactionEvent,
} from '../slack/events.ts';
import type { Installation, SlackChannel, SlackMessage } from '../slack/types.ts';
import type {
  Challenge,
  Delivery,
  Group,
  HeldSends,
  Person,
  PlatformBot,
  PlatformDriver,
  Saying,
  Sent,
  Written,
} from './driver.ts';
import { heldSends } from './held-sends.ts';

export async function startSlack(): Promise<PlatformDriver> {
  const fake = await startFakeSlack({ retryScale: 0.001, burst: 5 });
  const { world, apps } = fake;
  return {
    name: 'slack',
    env: { SLACK_API_URL: fake.url },
    close: () => fake.close(),
    connect: async ({ gatewayUrl, botId, create }) => {
      const teamId = world.addTeam();
      const app = apps.add();
      const installation = apps.install(app, { teamId });
      await create({
        integrationType: 'slack',
        credentials: { botToken: installation.token, signingSecret: app.signingSecret },
      });
      const path = `/webhooks/slack/${botId}`;
      await apps.setRequestUrl(app, `${gatewayUrl}${path}`);
      apps.subscribe(app);
      return new SlackBot(fake, { path, teamId, installation });
    },
  };
}

interface Workspace {
  path: string;
  teamId: string;
  installation: Installation;
}

class SlackBot implements PlatformBot {
  readonly #fake: FakeSlack;
  readonly #workspace: Workspace;
  readonly #written = new Map<string, { channel: SlackChannel; message: SlackMessage }>();

  constructor(fake: FakeSlack, workspace: Workspace) {
    this.#fake = fake;
    this.#workspace = workspace;
  }

  newPerson(name: string): Person {
    const person = { name: name.toLowerCase(), displayName: name };
    return { id: this.#fake.world.addPerson(this.#workspace.teamId, person).id, name };
  }

  newGroup(people: readonly Person[]): Group {
    const { teamId, installation } = this.#workspace;
    const members = [...people.map(({ id }) => id), installation.botUserId];
    return { id: this.#fake.world.addChannel(teamId, { name: 'support', members }).id };
  }

  write({ person, text, group, inThreadOf, isAddressed, file }: Saying): Written {
    const { teamId, installation } = this.#workspace;
    const { world } = this.#fake;
    const channel = this.#channelOf(group ?? person);
    const files = file && [
      world.addFile(teamId, { name: file.name, mimetype: file.type, content: file.bytes }),
    ];
    const message = world.addMessage(channel, {
      user: person.id,
      text: isAddressed ? `<@${installation.botUserId}> ${text}` : text,
      ...(inThreadOf ? { threadTs: inThreadOf.id } : {}),
      ...(files ? { files } : {}),
    });
    this.#written.set(message.ts, { channel, message });
    return { id: message.ts, person, delivery: this.#deliver(messageEvent(channel, message)) };
  }

  /** An event of its own about the same message, as for another subscription. */
  repeat(_delivery: Delivery, { id }: Written): Delivery {
    const { channel, message } = this.#written.get(id)!;
    return this.#deliver(messageEvent(channel, message));
  }

  forge({ body }: Delivery): Delivery {
    return this.#sign(String(body), 'another secret');
  }

  edit({ id }: Written, text: string): Delivery {
    const { channel, message } = this.#written.get(id)!;
    const previous = messageFields(message);
    // The platform's time of an edit has whole seconds.
    const editedTs = `${this.#fake.world.newTs().split('.')[0]}.000000`;
    Object.assign(message, { text, editedTs });
    return this.#deliverChange('message_changed', channel, {
      message: { type: 'message', ...messageFields(message) },
      previous_message: { type: 'message', ...previous },
    });
  }

  remove({ id }: Written): Delivery {
    const { channel, message } = this.#written.get(id)!;
    return this.#deliverChange('message_deleted', channel, {
      deleted_ts: message.ts,
      previous_message: { type: 'message', ...messageFields(message) },
    });
  }

  press(sent: Sent, label: string, { id }: Person): Delivery {
    const { message, channel } = this.#fake.sent.all.findLast((one) => one.message.ts === sent.id)!;
    const { world } = this.#fake;
    const body = pressForm(this.#workspace.installation, {
      channel: world.channels.get(channel)!,
      person: world.people.get(id)!,
      message,
      label,
    });
    const { path, headers } = this.#sign(body);
    return { path, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body };
  }

  /** The new thumb comes before the old one is taken back, as people do it. */
  rate(sent: Sent, rating: 'up' | 'down' | null, person: Person): Delivery[] {
    const { message, channel: channelId } = this.#fake.sent.all.findLast(
      (one) => one.message.ts === sent.id,
    )!;
    const { world } = this.#fake;
    const channel = world.channels.get(channelId)!;
    const wanted = rating === null ? undefined : `${{ up: '+1', down: '-1' }[rating]}::skin-tone-3`;
    const reacted = Object.entries(message.reactions ?? {}).filter(([, people]) =>
      people.includes(person.id),
    );
    const changes = [
      ...(wanted === undefined ? [] : [{ reaction: wanted, isAdded: true }]),
      ...reacted.filter(([name]) => name !== wanted).map(([reaction]) => ({ reaction, isAdded: false })),
    ];
    return changes.map(({ reaction, isAdded }) => {
      world.react(message, { person, reaction }, isAdded);
      const type = isAdded ? 'reaction_added' : 'reaction_removed';
      return this.#deliver(
        reactionEvent(type, { channel, person, message, reaction, eventTs: world.newTs() }),
      );
    });
  }

  /** The channel gets another identifier, as it does when it is shared with another workspace. */
  rename(place: Person | Group): { delivery: Delivery; place: Group } {
    const { world } = this.#fake;
    const former = this.#channelOf(place);
    const { name, members, kind } = former;
    const channel = world.addChannel(this.#workspace.teamId, { name, kind, members: [...members] });
    channel.messages.push(...former.messages);
    const { id } = channel;
    world.channels.delete(former.id);
    const change = { old_channel_id: former.id, new_channel_id: id, event_ts: world.newTs() };
    return { delivery: this.#deliver({ type: 'channel_id_changed', ...change }), place: { id } };
  }

  challenge(): Challenge {
    const answer = randomUUID();
    const request = this.#sign(JSON.stringify({ type: 'url_verification', challenge: answer }));
    return { request, forged: this.forge(request), answer };
  }

  leave(): Delivery {
    this.#workspace.installation.isRevoked = true;
    return this.#deliver({ type: 'app_uninstalled' });
  }

  deliverBody(body: string): Delivery {
    return this.#sign(body);
  }

  block(place: Person | Group): void {
    this.#fake.refuse(this.#channelOf(place).id, 'is_archived');
  }

  unblock(place: Person | Group): void {
    this.#fake.refuse(this.#channelOf(place).id, undefined);
  }

  limit(): void {
    const body = { ok: false, error: 'ratelimited' };
    this.#fake.fail('chat.postMessage', { status: 429, headers: { 'retry-after': '1' }, body });
  }

  loseAnswer(): void {
    this.#fake.fail('chat.postMessage', { cut: 'after' });
  }

  holdSends(words: string): HeldSends {
    return heldSends(this.#fake, 'chat.postMessage', words);
  }

  tooFast(): number {
    return this.#fake.calls.filter(({ status }) => status === 429).length;
  }

  sentTo(place: Person | Group) {
    const { id } = this.#channelOf(place);
    return this.#fake.sent
      .filter(({ channel }) => channel === id)
      .map(({ message }) => ({
        id: message.ts,
        text: shownText(message),
        buttons: buttonsUnder(message),
        ...(message.files?.[0]
          ? { file: { name: message.files[0].name, bytes: message.files[0].content } }
          : {}),
      }));
  }

  typingSeen(person: Person): number {
    const { id } = this.#channelOf(person);
    return this.#fake.statuses.filter(({ channel }) => channel === id).length;
  }

  #channelOf({ id }: Person | Group): SlackChannel {
    const { teamId, installation } = this.#workspace;
    const { world } = this.#fake;
    return world.channels.get(id) ?? world.direct(teamId, id, installation.botUserId);
  }

  #sign(body: string, secret = this.#workspace.installation.app.signingSecret): Delivery {
    const headers = { 'content-type': 'application/json', ...signed(secret, body) };
    return { path: this.#workspace.path, headers, body };
  }

  #deliver(event: Fields): Delivery {
    const { installation, teamId } = this.#workspace;
    return this.#sign(JSON.stringify(envelope(installation, event, { ofTeam: teamId })));
  }

  #deliverChange(subtype: string, { id, kind }: SlackChannel, fields: Fields): Delivery {
    const ts = this.#fake.world.newTs();
    const event = {
      type: 'message',
      subtype,
      hidden: true,
      channel: id,
      channel_type: kind,
      ts,
      event_ts: ts,
    };
    return this.#deliver({ ...event, ...fields });
  }
}

const shownText = ({ blocks, text }: SlackMessage): string =>
  Array.isArray(blocks)
    ? blocks.map((block: { text?: unknown }) => String(block.text ?? '')).join('\n')
    : text;
