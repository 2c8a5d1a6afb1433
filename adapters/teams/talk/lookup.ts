/** What Teams tells of a question only when it is asked: who wrote it. */

import { BridgeError, type Lookup, type Message, type Person } from '../../../src/kit.ts';
import type { TeamsPlace } from '../receive/activity.ts';
import type { Places } from '../receive/places.ts';
import type { People } from './people.ts';
import { words } from './words.ts';

export interface LookupParts {
  readonly places: Pick<Places, 'find'>;
  readonly people: People;
}

export function createLookup({ places, people }: LookupParts): Lookup {
  return {
    async complete(message, signal) {
      const place = await places.find(message.thread);
      if (place === undefined) {
        throw new BridgeError(
          'channel-unavailable',
          `The app is not in the conversation ${message.thread.room} any more.`,
        );
      }
      return { ...message, sender: await findSender(message, { place, people, signal }) };
    },
  };
}

interface Looking {
  readonly place: TeamsPlace;
  readonly people: People;
  readonly signal: AbortSignal;
}

/** Who asks decides what they may do, so that nobody unknown is let in. Bots are in no list of members. */
async function findSender({ sender }: Message, { place, people, signal }: Looking): Promise<Person> {
  if (sender.standing === 'bot') return sender;
  const found = await people.find(place, sender.id, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new BridgeError('access-denied', `Teams did not tell who ${sender.id} is.`, {
      cause,
      tellUser: words.whoAreYou,
    });
  });
  const standing = sender.standing === 'external' ? 'external' : found.standing;
  return { ...sender, ...found, standing };
}
