import type { ConsolePerson } from '../config.ts';
import { HttpRefusal } from '../refusal.ts';
import type { ChatStore } from './store.ts';

/** Maximum people who sign in. Protects memory and disk against a provider on which anyone may register. */
const PEOPLE = 10_000;

/** The people of the console: those of the configuration, or everyone who has signed in. */
export interface People {
  list(): readonly ConsolePerson[];
  find(id: string): ConsolePerson | undefined;
  /** Deletes a stored person; false if there is none. Absent if the configuration lists the people. */
  drop?(id: string): boolean;
}

export function configuredPeople(people: readonly ConsolePerson[]): People {
  return { list: () => people, find: (id) => people.find((person) => person.id === id) };
}

/** The people who have signed in, with the claims of their last sign-in. They are stored, so that names stay known. */
export class SignedInPeople implements People {
  readonly #store: ChatStore;
  readonly #known: Map<string, ConsolePerson>;

  constructor(store: ChatStore) {
    this.#store = store;
    this.#known = new Map(store.people().map((person) => [person.id, person]));
  }

  list(): readonly ConsolePerson[] {
    return [...this.#known.values()];
  }

  find(id: string): ConsolePerson | undefined {
    return this.#known.get(id);
  }

  drop(id: string): boolean {
    this.#store.dropPerson(id);
    return this.#known.delete(id);
  }

  /** Stores a person who has just signed in. @throws HttpRefusal 507 if there are too many people */
  put(person: ConsolePerson): void {
    if (!this.#known.has(person.id) && this.#known.size >= PEOPLE) {
      throw new HttpRefusal(
        507,
        'too-many-people',
        'This console has too many people. Please tell its operator.',
      );
    }
    this.#store.savePerson(person);
    this.#known.set(person.id, person);
  }
}
