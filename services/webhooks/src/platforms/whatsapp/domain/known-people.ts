import type { KnownPerson } from '../store/people.ts';
import type { NamedPerson } from './people.ts';

export interface Renaming {
  from: string;
  to: string;
}

const maxSteps = 10;
/** Longer than the platform repeats a delivery. */
const repeatedForMs = 8 * 24 * 3600 * 1000;

/**
 * Decides who is meant by the identifiers of a notification. The business-scoped identifier is the person. A number is
 * an alias that leads to one person at a time: it may be given to somebody else, who then is another person.
 */
export class KnownPeople {
  readonly #people: Map<string, KnownPerson>;
  readonly #changed = new Set<string>();
  readonly #now: Date;

  constructor(rows: readonly KnownPerson[], now: Date) {
    this.#people = new Map(rows.map((row) => [row.personId, { ...row }]));
    this.#now = now;
  }

  /** People whose data has to be stored. */
  get changed(): KnownPerson[] {
    return [...this.#changed].sort().map((personId) => this.#people.get(personId)!);
  }

  /** The person's present identifier; `undefined` if they are unknown. */
  find({ userId, phone }: NamedPerson): string | undefined {
    const personId =
      userId !== undefined && this.#people.has(userId) ? userId : this.#withPhone(phone)?.personId;
    return personId === undefined ? undefined : this.#present(personId);
  }

  /** The present identifier of a person who wrote, and their renamings that this reveals. */
  note(named: NamedPerson): { personId: string; renamings: Renaming[] } {
    const { userId, phone } = named;
    if (userId === undefined) {
      const personId = this.find(named) ?? this.#present(String(phone));
      this.#change(personId, personId === phone ? { phone } : {});
      return { personId, renamings: [] };
    }
    const personId = this.#present(userId);
    if (phone === undefined) {
      this.#change(personId, {});
      return { personId, renamings: [] };
    }
    const renamings = this.#claimPhone(personId, phone);
    return { personId, renamings };
  }

  /** Records that a person has another identifier or number. Returns the renaming, if the identifier changed. */
  rename(from: NamedPerson, to: NamedPerson): Renaming | undefined {
    const former = this.find(from) ?? from.userId;
    if (former === undefined) return undefined;
    const isKnownByPhone = to.userId === undefined && former === from.phone;
    const present = to.userId ?? (isKnownByPhone ? to.phone : undefined) ?? former;
    if (present === former) {
      if (to.phone !== undefined) this.#claimPhone(former, to.phone);
      return undefined;
    }
    this.#move(former, present, to.phone);
    return { from: former, to: present };
  }

  /** The newest message of a person. */
  wrote(personId: string, message: { id: string; sentAt: Date }): void {
    const last = this.#people.get(personId)?.lastMessageAt;
    if (last && last > message.sentAt) return;
    this.#change(personId, { lastMessageId: message.id, lastMessageAt: message.sentAt });
  }

  #present(personId: string): string {
    let present = personId;
    for (let step = 0; step < maxSteps; step += 1) {
      const next = this.#people.get(present)?.renamedTo;
      if (!next) break;
      present = next;
    }
    return present;
  }

  #withPhone(phone: string | undefined): KnownPerson | undefined {
    if (phone === undefined) return undefined;
    const owners = [...this.#people.values()].filter((person) => person.phone === phone);
    return owners.find(({ renamedTo }) => renamedTo === null) ?? owners[0] ?? this.#people.get(phone);
  }

  /** The number belongs to this person from now on. A person known by the number alone was the same one. */
  #claimPhone(personId: string, phone: string): Renaming[] {
    const byNumber = this.#people.get(phone);
    for (const other of this.#people.values())
      if (other.phone === phone && other.personId !== personId && other.personId !== phone)
        this.#change(other.personId, { phone: null });
    if (byNumber && byNumber.personId !== personId && byNumber.renamedTo === null) {
      this.#move(phone, personId, phone);
      return [{ from: phone, to: personId }];
    }
    this.#change(personId, { phone });
    const isRecent = (byNumber?.renamedAt?.getTime() ?? 0) > this.#now.getTime() - repeatedForMs;
    // The delivery that revealed it may not have been committed.
    return byNumber?.renamedTo === personId && isRecent ? [{ from: phone, to: personId }] : [];
  }

  #move(former: string, present: string, phone: string | undefined): void {
    const old = this.#people.get(former);
    const { lastMessageId = null, lastMessageAt = null } = this.#people.get(present) ?? old ?? {};
    this.#change(present, {
      phone: phone ?? old?.phone ?? null,
      lastMessageId,
      lastMessageAt,
      renamedTo: null,
    });
    this.#change(former, { renamedTo: present, renamedAt: this.#now });
  }

  #change(personId: string, change: Partial<KnownPerson>): void {
    const person = this.#people.get(personId) ?? newPerson(personId);
    this.#people.set(personId, { ...person, ...change });
    this.#changed.add(personId);
  }
}

const newPerson = (personId: string): KnownPerson => ({
  personId,
  phone: null,
  renamedTo: null,
  renamedAt: null,
  lastMessageId: null,
  lastMessageAt: null,
});
