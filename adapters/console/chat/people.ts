import { skeleton } from '../../../src/kit/ladder.ts';
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
  /** A form of each name that is equal for names that look alike, by the person's id. */
  readonly #looks: Map<string, string>;
  readonly #reserved: () => readonly string[];

  /** @param reserved returns the names of the bot and the agents, which no person may have */
  constructor(store: ChatStore, reserved: () => readonly string[] = () => []) {
    this.#store = store;
    this.#reserved = reserved;
    this.#known = new Map(store.people().map((person) => [person.id, person]));
    this.#looks = new Map([...this.#known.values()].map(({ id, name }) => [id, skeleton(name)]));
  }

  list(): readonly ConsolePerson[] {
    return [...this.#known.values()];
  }

  find(id: string): ConsolePerson | undefined {
    return this.#known.get(id);
  }

  drop(id: string): boolean {
    this.#store.dropPerson(id);
    this.#looks.delete(id);
    return this.#known.delete(id);
  }

  /**
   * Stores a person who has just signed in. If their name looks like that of the bot, an agent or another person, adds a
   * number to it. @throws HttpRefusal 507 if there are too many people
   */
  put(given: ConsolePerson): void {
    const person = { ...given, name: this.#unlikeOthers(given) };
    if (!this.#known.has(person.id) && this.#known.size >= PEOPLE) {
      throw new HttpRefusal(
        507,
        'too-many-people',
        'This console has too many people. Please tell its operator.',
      );
    }
    this.#store.savePerson(person);
    this.#known.set(person.id, person);
    this.#looks.set(person.id, skeleton(person.name));
  }

  #unlikeOthers({ id, name }: ConsolePerson): string {
    const others = [...this.#looks].flatMap(([other, look]) => (other === id ? [] : look));
    const taken = new Set([...this.#reserved().map(skeleton), ...others]);
    let number = 1;
    const numbered = () => (number === 1 ? name : `${name} (${number})`);
    while (taken.has(skeleton(numbered()))) number += 1;
    return numbered();
  }
}
