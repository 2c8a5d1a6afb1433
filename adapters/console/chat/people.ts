import { skeleton } from '../../../src/kit/ladder.ts';
import type { ConsolePerson } from '../config.ts';
import { HttpRefusal } from '../refusal.ts';
import type { Follower } from './feed.ts';
import type { ChatStore } from './ports.ts';

/** Maximum people who sign in. Protects memory and disk against a provider on which anyone may register. */
const PEOPLE = 10_000;

/** The people of the console: those of the configuration, or everyone who has signed in. */
export interface People {
  list(): readonly ConsolePerson[];
  find(id: string): ConsolePerson | undefined;
  /** Deletes a stored person; false if there is none. Absent if the configuration lists the people. */
  drop?(id: string): Promise<boolean>;
}

export function configuredPeople(people: readonly ConsolePerson[]): People {
  return { list: () => people, find: (id) => people.find((person) => person.id === id) };
}

/** The people who have signed in, with the claims of their last sign-in. They are stored, so that names stay known. */
export class SignedInPeople implements People, Follower {
  readonly #store: ChatStore;
  readonly #known = new Map<string, ConsolePerson>();
  /** A form of each name that is equal for names that look alike, by the person's id. */
  readonly #looks = new Map<string, string>();
  readonly #reserved: () => readonly string[];

  /** @param reserved returns the names of the bot and the agents, which no person may have */
  constructor(store: ChatStore, reserved: () => readonly string[] = () => []) {
    this.#store = store;
    this.#reserved = reserved;
    store.feed.follow(this);
  }

  /** Loads the stored people. Must be called before people are used. */
  async load(): Promise<void> {
    const people = await this.#store.rows.people();
    this.#known.clear();
    this.#looks.clear();
    for (const person of people) this.apply({ type: 'person-stored', person });
  }

  apply(event: Parameters<Follower['apply']>[0]): void {
    if (event.type === 'person-stored') {
      this.#known.set(event.person.id, event.person);
      this.#looks.set(event.person.id, skeleton(event.person.name));
    }
    if (event.type === 'person-dropped') {
      this.#known.delete(event.id);
      this.#looks.delete(event.id);
    }
  }

  list(): readonly ConsolePerson[] {
    return [...this.#known.values()];
  }

  find(id: string): ConsolePerson | undefined {
    return this.#known.get(id);
  }

  async drop(id: string): Promise<boolean> {
    const isKnown = this.#known.has(id);
    await this.#store.change(async (change) => {
      await change.rows.dropPerson(id);
      change.publish({ type: 'person-dropped', id });
    });
    return isKnown;
  }

  /**
   * Stores a person who has just signed in. If their name looks like that of the bot, an agent or another person, adds a
   * number to it. @throws HttpRefusal 507 if there are too many people
   */
  put(given: ConsolePerson): Promise<void> {
    return this.#store.change(async (change) => {
      const person = { ...given, name: this.#unlikeOthers(given) };
      if (!this.#known.has(person.id) && this.#known.size >= PEOPLE) {
        throw new HttpRefusal(
          507,
          'too-many-people',
          'This console has too many people. Please tell its operator.',
        );
      }
      await change.rows.savePerson(person);
      change.publish({ type: 'person-stored', person });
    });
  }

  #unlikeOthers({ id, name }: ConsolePerson): string {
    const others = [...this.#looks].flatMap(([other, look]) => (other === id ? [] : look));
    const usedNames = new Set([...this.#reserved().map(skeleton), ...others]);
    let number = 1;
    const numbered = () => (number === 1 ? name : `${name} (${number})`);
    while (usedNames.has(skeleton(numbered()))) number += 1;
    return numbered();
  }
}
