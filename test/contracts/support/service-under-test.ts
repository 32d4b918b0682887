import type { DataOf, EventType, SignalType } from '@botyard/contracts/events/definition';
import { resolveCaller } from '@botyard/contracts/events/tenancy';
import type { ServiceWithSchema } from '@botyard/shared/db/migrate';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import type { ServiceProcess } from '@botyard/testing/service-process';
import type { Answer } from '@botyard/testing/test-call';
import { v7 as uuidv7 } from 'uuid';
import { type BusServer, openBusServer } from './bus-server.ts';
import { FakeServices } from './fake-services.ts';
import { TestTenant } from './test-tenant.ts';

/** One service as a process, with its database and its own login at NATS, and nobody else but tests. */
export class ServiceUnderTest {
  readonly name: ServiceWithSchema;
  readonly harness: ServiceHarness;
  readonly server: BusServer;
  readonly fakes: FakeServices;
  #process: (TestService & ServiceProcess) | undefined;
  readonly #tenants = new Map<string, TestTenant>();
  /** Events that tests wrote, some of them in the service's own name. */
  readonly #simulated = new Set<string>();

  private constructor(name: ServiceWithSchema, harness: ServiceHarness, server: BusServer) {
    this.name = name;
    this.harness = harness;
    this.server = server;
    this.fakes = new FakeServices(server);
  }

  static async open(
    name: ServiceWithSchema,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ServiceUnderTest> {
    const [harness, server] = await Promise.all([ServiceHarness.open(), openBusServer()]);
    const sut = new ServiceUnderTest(name, harness, server);
    await sut.answerCallers();
    sut.#process = await harness.startProcess(name, { ...server.envOf(name), ...env });
    return sut;
  }

  get process(): TestService & ServiceProcess {
    return this.#process!;
  }

  /** A tenant that is new to the service, with an admin whom the tenancy service knows. */
  newTenant(): TestTenant {
    const tenant = new TestTenant();
    for (const person of [tenant.admin, tenant.operator])
      if (person.kind === 'user') this.#tenants.set(person.idpUserId, tenant);
    return tenant;
  }

  /** The tenant that something is said about. */
  tenantOf(payload: unknown): TestTenant | undefined {
    return [...new Set(this.#tenants.values())].findLast((tenant) => tenant.isNamedIn(payload));
  }

  /**
   * Simulates tenancy's answers about callers: each is in their test's tenant, which is active, as its admin or as
   * an operator.
   */
  async answerCallers(): Promise<void> {
    if (this.name === 'tenancy') return;
    await this.fakes.answerWith(resolveCaller, (question) => {
      const { identity } = resolveCaller.request.parse(question);
      if (identity.kind === 'token') return { ok: { caller: null } };
      const { idpUserId, sessionId, isOperator } = identity;
      const tenantId = this.#tenants.get(idpUserId)?.tenantId;
      const roles = tenantId ? [{ tenantId, role: isOperator ? 'member' : 'admin' }] : [];
      const caller = { userId: uuidv7(), idpUserId, sessionId, email: null, isOperator, roles };
      return { ok: { caller: { ...caller, activeTenantId: tenantId ?? null } } };
    });
  }

  /** A call of the tenant's admin. */
  call(tenant: TestTenant, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.process.call(method, path, { as: tenant.admin, ...(body === undefined ? {} : { body }) });
  }

  /** Like `call`, for preparations of a test. @throws Error unless it succeeds. */
  async make(tenant: TestTenant, method: string, path: string, body?: unknown) {
    const answer = await this.call(tenant, method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Publishes this text in the owner's name, like its outbox. Returns the event's id. */
  async publish(event: EventType, written: unknown, eventId = uuidv7()): Promise<string> {
    this.#simulated.add(eventId);
    const bus = this.server.busAs(event.owner);
    const scope = typeof written === 'object' ? (written as object) : {};
    const text = typeof written === 'string' ? written : JSON.stringify(written);
    await bus.live().jetstream.publish(bus.names.event(event, scope), text, { msgID: eventId });
    return eventId;
  }

  /** Says a hint in the name of the service that gives it. */
  hint(signal: SignalType, written: unknown): void {
    const text = typeof written === 'string' ? written : JSON.stringify(written);
    const bus = this.server.busAs(signal.owner);
    bus.live().connection.publish(bus.names.signal(signal), text);
  }

  /** The events that the event's owner has published, as written, without those that a test has simulated. */
  published<E extends EventType>(
    event: E,
  ): { payload: DataOf<E>; subject: string; messageId: string | undefined }[] {
    const { names } = this.server.busAs(event.owner);
    return this.fakes.published
      .filter(({ subject }) => subject.startsWith(`${names.namespace}.event.${event.name}.`))
      .filter(({ messageId = '' }) => !this.#simulated.has(messageId))
      .map(({ text, ...rest }) => ({ ...rest, payload: JSON.parse(text) as DataOf<E> }));
  }

  /** The outcome of an event: `taken` if it was handled and committed, or the reason if it is a dead letter. */
  async outcomeOf(eventId: string): Promise<string> {
    return await eventually(`${this.name} has settled the event ${eventId}`, async () => {
      const [row] = await this.harness.asOwner<{ fate: string }>(
        `select 'dead: ' || last_error as fate from ${this.name}.dead_letters where event_id = $1
         union all select 'failed: ' || last_error from ${this.name}.consumer_failures where event_id = $1
         union all select 'taken' from ${this.name}.inbox where event_id = $1`,
        [eventId],
      );
      return row?.fate;
    });
  }

  /** Whether it ever lost its connection: no message may cause that. */
  get hasLostBus(): boolean {
    return this.process.logLines.some((line) => line.includes('the message bus is not connected'));
  }

  async rows<Row extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return await this.harness.asOwner<Row>(text, values);
  }

  async close(): Promise<void> {
    await this.harness.close();
    await this.server.close();
  }
}
