import type { RequestType } from '@botyard/contracts/events/definition';
import type { ServiceName } from '@botyard/contracts/http/contract';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { BusServer } from './bus-server.ts';

/** A fake service's answer to a request; `undefined`: no answer. */
export type ScriptedAnswer = (question: unknown) => unknown | Promise<unknown>;

export interface PublishedMessage {
  subject: string;
  text: string;
  messageId: string | undefined;
}

/** The services around the one under test: they answer as scripted, and receive its messages. */
export class FakeServices {
  readonly #server: BusServer;
  readonly #responders = new Map<string, { subscription: Subscription; script: ScriptedAnswer }>();
  readonly #heard = new Map<string, unknown[]>();
  /** Everything that was published, by anybody. */
  readonly published: PublishedMessage[] = [];

  constructor(server: BusServer) {
    this.#server = server;
    // Events and signals are not requests: a subscriber there counts as a responder.
    for (const kind of ['event', 'signal'])
      server.observer.subscribe(`*.${kind}.>`, {
        callback: (_failure, message) => {
          const messageId = message.headers?.get('Nats-Msg-Id') || undefined;
          this.published.push({ subject: message.subject, text: message.string(), messageId });
        },
      });
  }

  /** From now on the request's owner answers like this. One that answered before is never away in between. */
  async answerWith(request: RequestType, script: ScriptedAnswer): Promise<void> {
    const responder = this.#responders.get(request.name);
    if (responder) {
      responder.script = script;
      return;
    }
    const bus = this.#server.busAs(request.owner);
    const { connection } = bus.live();
    const subscription = connection.subscribe(bus.names.request(request), {
      callback: (_failure, message) => {
        const question: unknown = message.json();
        this.asked(request).push(question);
        void Promise.resolve(this.scriptOf(request)?.(question)).then((reply) => {
          if (reply !== undefined) message.respond(typeof reply === 'string' ? reply : JSON.stringify(reply));
        });
      },
    });
    this.#responders.set(request.name, { subscription, script });
    await connection.flush();
  }

  /** Removes the responder of the request: NATS reports that to the requester immediately. */
  async stopAnswering(request: RequestType): Promise<void> {
    this.#responders.get(request.name)?.subscription.unsubscribe();
    this.#responders.delete(request.name);
    await this.#server.busAs(request.owner).live().connection.flush();
  }

  /** The script by which its owner answers now; `undefined` if there is no responder. */
  scriptOf(request: RequestType): ScriptedAnswer | undefined {
    return this.#responders.get(request.name)?.script;
  }

  /** The requests until now, as they were sent. */
  asked(request: RequestType): unknown[] {
    const heardQuestions = this.#heard.get(request.name) ?? [];
    this.#heard.set(request.name, heardQuestions);
    return heardQuestions;
  }
}

/** Why NATS lets a service not say this; `undefined` when it does, and somebody or nobody answers. */
export async function refusalOf(
  server: BusServer,
  service: ServiceName,
  subject: string,
): Promise<string | undefined> {
  const { connection } = server.busAs(service).live();
  const error = await connection.request(subject, '{}', { timeout: 60_000 }).then(
    () => undefined,
    (failure: unknown) => failure as Error,
  );
  return error && /permission/i.test(`${error.name} ${error.message}`) ? error.message : undefined;
}

/** Sends a request as a service, and returns the answer as it was written. */
export async function askAs(
  connection: NatsConnection,
  subject: string,
  question: unknown,
): Promise<unknown> {
  const text = typeof question === 'string' ? question : JSON.stringify(question);
  // Long enough for a busy machine: a missing responder is reported immediately.
  const answer = await connection.request(subject, text, { timeout: 60_000 });
  return answer.json();
}
