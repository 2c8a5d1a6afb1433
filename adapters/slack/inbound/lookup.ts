/** What Slack tells of a question only when it is asked: who wrote it, and what was said before it. */

import {
  BridgeError,
  type Exchange,
  type Log,
  type Lookup,
  type Message,
  type Person,
  type Quote,
} from '../../../src/kit.ts';
import type { Workspace, Workspaces } from '../api/workspace.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private.ts';
import type { SlackMessage } from '../receive/events.ts';
import type { Reads } from '../receive/reads.ts';
import { peopleIn, withNames } from './address.ts';
import type { People } from './people.ts';
import { exchanges, readThread, type Unnamed, unseen } from './thread.ts';

/** People of one question that are asked for by name; further ones stay ids. */
const NAMES = 30;

interface LookupDeps {
  readonly workspaces: Workspaces;
  readonly people: People;
  readonly reads: Reads;
  readonly log: Log;
}

export function createLookup(deps: LookupDeps): Required<Lookup> {
  return {
    async complete(message, signal) {
      const workspace = await installed(message, deps.workspaces);
      const [sender, before] = await Promise.all([
        findSender(message, workspace, { deps, signal }),
        readUnseen(message, workspace, { deps, signal }),
      ]);
      return named({ ...message, sender }, before, { workspace, deps, signal });
    },
    async history(message, _agent, signal): Promise<readonly Exchange[]> {
      const workspace = await installed(message, deps.workspaces);
      const earlier = await readBefore(message, workspace, { deps, signal });
      return exchanges(earlier, workspace);
    },
  };
}

interface Looking {
  readonly deps: LookupDeps;
  readonly signal: AbortSignal;
}

async function installed({ thread }: Message, workspaces: Workspaces): Promise<Workspace> {
  const workspace = await workspaces.ofTenant(thread.tenant);
  if (workspace !== undefined) return workspace;
  throw new BridgeError(
    'channel-unavailable',
    `The app is not installed in the workspace ${thread.tenant} any more.`,
  );
}

/** Who asks decides what they may do, so that nobody unknown is let in. */
async function findSender(
  message: Message,
  workspace: Workspace,
  { deps, signal }: Looking,
): Promise<Person> {
  const { sender } = message;
  // A bot without a user, which `users.info` does not know.
  if (sender.standing === 'bot' && sender.id.startsWith('B')) return sender;
  const found = await deps.people.find(workspace, sender.id, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new BridgeError('access-denied', `Slack did not tell who ${sender.id} is.`, {
      cause,
      tellUser: 'I could not find out from Slack who you are just now. Please ask again in a minute.',
    });
  });
  const standing = sender.standing === 'bot' ? 'bot' : found.standing;
  return { ...sender, ...found, standing };
}

/** In a direct message everything was said to the agent. A thread that cannot be read costs its quotes, not the answer. */
async function readUnseen(
  message: Message,
  workspace: Workspace,
  looking: Looking,
): Promise<readonly Unnamed[]> {
  if (message.thread.kind === 'direct') return [];
  try {
    return unseen(await readBefore(message, workspace, looking), workspace);
  } catch (err) {
    looking.signal.throwIfAborted();
    looking.deps.log.warn({ err, tenant: workspace.tenant }, 'a thread could not be read for its context');
    return [];
  }
}

async function readBefore(
  { id, thread }: Message,
  workspace: Workspace,
  { deps, signal }: Looking,
): Promise<readonly SlackMessage[]> {
  const before = tsOf(id);
  if (thread.key === before || isPrivate(thread)) return [];
  const place = { conversation: thread.room, threadTs: thread.key, before };
  return readThread(deps.reads, workspace, place, signal);
}

/** The words with the names of the people in them; who cannot be found stays an id. */
async function named(
  message: Message,
  before: readonly Unnamed[],
  { workspace, deps, signal }: Looking & { workspace: Workspace },
): Promise<Message> {
  const written = [
    message.text,
    ...message.quoted.map(({ text }) => text),
    ...before.map(({ text }) => text),
  ];
  const ids = new Set([...before.flatMap(({ user }) => user ?? []), ...peopleIn(written.join('\n'))]);
  const names = new Map<string, string>();
  await Promise.all(
    [...ids].slice(0, NAMES).map(async (id) => {
      const person = await deps.people.find(workspace, id, signal).catch(() => undefined);
      if (person !== undefined) names.set(id, person.name);
    }),
  );
  signal.throwIfAborted();
  const nameOf = (id: string) => names.get(id);
  const quote = ({ author, text, user }: Unnamed): Quote => ({
    author: (user === undefined ? undefined : names.get(user)) ?? author,
    text: withNames(text, nameOf),
  });
  return {
    ...message,
    text: withNames(message.text, nameOf),
    quoted: [...before, ...message.quoted].map(quote),
  };
}
