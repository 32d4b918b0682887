import { randomBytes, randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { user } from '@botyard/testing/test-call';

/** Identifiers that the samples share, by their kind. */
const sampleIds = {
  tenantId: '01920000-0000-7000-8000-000000000001',
  botId: '01920000-0000-7000-8000-000000000002',
  integrationId: '01920000-0000-7000-8000-000000000003',
  agentId: '01920000-0000-7000-8000-000000000004',
  conversationId: '01920000-0000-5000-8000-000000000005',
  replyId: '01920000-0000-7000-8000-000000000007',
  turnId: '01920000-0000-7000-8000-000000000008',
  keyId: '01920000-0000-7000-8000-000000000009',
  userId: '01920000-0000-7000-8000-00000000000b',
  personId: '01920000-0000-7000-8000-00000000000c',
  runId: '01920000-0000-7000-8000-000000000031',
} as const;
export type SampleId = keyof typeof sampleIds;

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const names = /\b(user|org|orgmem|sess)_(2abc|3def)\b|(?<=@)bots\.example\b/g;

/** A tenant of one test: samples get identifiers of its own, so that tests don't affect each other. */
export class TestTenant {
  readonly tag = randomBytes(6).toString('hex');
  readonly admin: Identity = user(`user_2abc${this.tag}`);
  /** Reaches every tenant, so that tenancy is asked which there are. */
  readonly operator: Identity = user(`user_operator_${this.tag}`, { isOperator: true });
  readonly #ids = new Map<string, string>();

  /** The identifier that stands for a sample's. */
  id(name: SampleId): string {
    return this.#idFor(sampleIds[name]);
  }

  get tenantId(): string {
    return this.id('tenantId');
  }

  /** From now on the samples' identifiers stand for existing resources. */
  useIds(ids: Partial<Record<SampleId, string>>): void {
    for (const [name, id] of Object.entries(ids)) this.#ids.set(sampleIds[name as SampleId], id);
  }

  /** Whether something is about this tenant. */
  isNamedIn(payload: unknown): boolean {
    const text = JSON.stringify(payload);
    return text.includes(this.tag) || [...this.#ids.values()].some((id) => text.includes(id));
  }

  /** The sample with this tenant's identifiers instead of its own. */
  withOwnIds<Sample>(sample: Sample): Sample {
    const text = JSON.stringify(sample)
      .replaceAll(uuid, (id) => this.#idFor(id))
      .replaceAll(names, (name) => (name.startsWith('bots') ? `${this.tag}.${name}` : `${name}${this.tag}`));
    return JSON.parse(text) as Sample;
  }

  #idFor(sampleId: string): string {
    const ownId = this.#ids.get(sampleId) ?? randomUUID();
    this.#ids.set(sampleId, ownId);
    return ownId;
  }
}
