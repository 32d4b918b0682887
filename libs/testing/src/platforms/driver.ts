import type { PlatformName } from '@botyard/contracts/http/platform';

/** A request of the platform, as it reaches the gateway. A GET has no body. */
export interface Delivery {
  method?: 'GET';
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array<ArrayBuffer>;
}

/** A person, as the platform identifies them in Botyard. */
export interface Person {
  id: string;
  name: string;
}

export interface Group {
  /** The identifier of the chat. */
  id: string;
}

export interface Saying {
  person: Person;
  text: string;
  /** Absent: in private. */
  group?: Group;
  /** The message belongs to the thread that this one began. */
  inThreadOf?: Written;
  /** The message names the bot. */
  isAddressed?: boolean;
  file?: { name: string; type: string; bytes: Buffer };
}

/** A person's message: the platform's identifier of the message, and its delivery. */
export interface Written {
  id: string;
  person: Person;
  delivery: Delivery;
}

/** A message of the bot, as the platform received it. */
export interface Sent {
  id: string;
  /** The text with the platform's formatting. */
  text: string;
  /** The labels of the buttons under it. */
  buttons?: readonly string[];
  file?: { name: string; bytes: Buffer };
}

/** How the platform verifies an address. */
export interface Challenge {
  request: Delivery;
  /** The same without a valid proof of its sender. */
  forged: Delivery;
  /** The body that the platform expects. */
  answer: string;
}

export interface HeldSends {
  /** How many messages with the words have arrived since. */
  count(): number;
  letGo(): void;
}

/** The requests of an integration. */
export interface Connecting {
  gatewayUrl: string;
  botId: string;
  /**
   * Creates the integration. `deliverTo` is the address that an admin enters at the platform, as signatures over
   * addresses need it.
   */
  create(body: Record<string, unknown>): Promise<{ deliverTo?: string }>;
}

/** A platform, as the suite of all platforms uses it: how its fake makes a delivery of each kind, and what was sent. */
export interface PlatformDriver {
  readonly name: PlatformName;
  /** The settings that lead Botyard to the fake. */
  readonly env: Readonly<Record<string, string>>;
  /** Does what an admin does at the platform and in Botyard. */
  connect(connecting: Connecting): Promise<PlatformBot>;
  close(): Promise<void>;
}

/** A connected bot. Abilities that its platform lacks are absent. */
export interface PlatformBot {
  newPerson(name: string): Person;
  /** For platforms that count people by digits. */
  newPersonWithDigits?(name: string, digits: string): Person;
  write(saying: Saying): Written;
  /** The same delivery with a wrong proof of its sender. */
  forge(delivery: Delivery): Delivery;
  /** A delivery with this body, proven as far as the platform proves any body. */
  deliverBody(body: string): Delivery;
  /** The same message in another delivery, as the platform sends it again. */
  repeat?(delivery: Delivery, written: Written): Delivery;
  /**
   * Hears the answer to a delivery, for platforms on which that has the person's session. Returns what is delivered
   * instead when the answer asks for a proof of work.
   */
  answered?(written: Written, body: string): Delivery | undefined;
  /** The messages to a person in private, or in a group. */
  sentTo(place: Person | Group): readonly Sent[];
  newGroup?(people: readonly Person[]): Group;
  edit?(written: Written, text: string): Delivery;
  remove?(written: Written): Delivery;
  /** A person presses a button with this label under a message of the bot. */
  press?(sent: Sent, label: string, person: Person): Delivery;
  challenge?(): Challenge;
  /** The answers of programs to a message of the bot in this person's place, by their kinds. */
  answerByPrograms?(sent: Sent, person: Person, text: string): Readonly<Record<string, Delivery>>;
  /** A program reports that a message of the bot came back. */
  comeBack?(sent: Sent, person: Person, reason: string): Delivery;
  /** Reports what became of a message of the bot. */
  report?(sent: Sent, state: 'delivered' | 'read' | 'failed', person: Person): Delivery;
  /** A person reads the bot's messages up to this one; the report of it, which may come with something else. */
  read?(sent: Sent, person: Person): Delivery;
  /** A person rates a message of the bot, or takes their rating back: what the platform delivers then, in its order. */
  rate?(sent: Sent, rating: 'up' | 'down' | null, person: Person): readonly Delivery[];
  /** The place gets another identifier. */
  rename?(place: Person | Group): { delivery: Delivery; place: Person | Group };
  /** The account is removed at the platform. */
  leave?(): Delivery;
  /** From now on the platform refuses messages to this place. */
  block?(place: Person | Group): void;
  /** From now on it accepts them again. */
  unblock?(place: Person | Group): void;
  /** The next message is refused with 429. */
  limit?(): void;
  /** The next message arrives, and the answer of the platform is lost on its way to us. */
  loseAnswer?(): void;
  /** From now on messages reach the platform, which accepts them no earlier than they are let go. */
  holdSends?(words: string): HeldSends;
  /** How many messages the platform refused because they came too fast. */
  tooFast(): number;
  /** How often the person saw that the bot is typing. */
  typingSeen?(person: Person): number;
  /** Whether the person sees that the bot has read their message. */
  isRead?(written: Written): boolean;
  /** The texts that the person saw while an answer was written; `null` when it was withdrawn. */
  previewsSeen?(person: Person): readonly (string | null)[];
}
