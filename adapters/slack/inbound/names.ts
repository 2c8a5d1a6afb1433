/** Looks up the names of people, public channels and user groups that a text mentions by their ids. */

import { type Cache, createCache, share } from '../../../src/kit/cache.ts';
import { plain, plains, text } from '../../../src/kit/json.ts';
import type { Clock, Quote } from '../../../src/kit.ts';
import type { Reads } from '../api/calls.ts';
import type { Workspace } from '../api/workspace.ts';
import { mentioned, withNames } from './address.ts';
import type { Unnamed } from './message-text.ts';
import type { People } from './people.ts';

/** Maximum number of names that are looked up for one question; for all others, the text keeps the ids. */
const MAX_NAMES = 30;
/** Time for which names are kept, in milliseconds, and maximum number of channels and workspaces. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 2_000;

export type Names = ReturnType<typeof createNames>;

export function createNames({ calls, people, clock }: { calls: Reads; people: People; clock: Clock }) {
  const channels: Cache<Promise<string>> = createCache({ clock, max: MAX_KEPT, ttlMs: KEPT_MS });
  const groups: Cache<Promise<ReadonlyMap<string, string>>> = createCache({
    clock,
    max: MAX_KEPT,
    ttlMs: KEPT_MS,
  });
  const channel = (workspace: Workspace, id: string): Promise<string> => {
    const key = `${workspace.tenant} ${id}`;
    return channels.get(key) ?? share(channels, key, channelName(calls, workspace, id));
  };
  const groupsOf = (workspace: Workspace) =>
    groups.get(workspace.tenant) ?? share(groups, workspace.tenant, groupNames(calls, workspace));
  return {
    /** Replaces ids by names in a text and in quotes. Ids that Slack does not name stay. */
    async named(markdown: string, quotes: readonly Unnamed[], workspace: Workspace, signal: AbortSignal) {
      const found = new Map<string, string>();
      const ids = mentioned([markdown, ...quotes.map((quote) => quote.text)].join('\n'));
      const users = quotes.flatMap(({ user }) => user ?? []);
      const named = async (id: string, look: Promise<string | undefined>) => {
        const name = await look.catch(() => undefined);
        if (name !== undefined && name !== '') found.set(id, name);
      };
      const persons = [...new Set([...users, ...ids.people])].slice(0, MAX_NAMES);
      await Promise.all([
        ...persons.map((id) =>
          named(
            id,
            people.find(workspace, id, signal).then(({ name }) => name),
          ),
        ),
        ...ids.channels.slice(0, MAX_NAMES).map((id) => named(id, channel(workspace, id))),
        ...ids.groups.slice(0, MAX_NAMES).map((id) =>
          named(
            id,
            groupsOf(workspace).then((all) => all.get(id)),
          ),
        ),
      ]);
      signal.throwIfAborted();
      const nameOf = (id: string) => found.get(id);
      const quoted: readonly Quote[] = quotes.map(({ user = '', ...quote }) => ({
        ...quote,
        author: nameOf(user) ?? quote.author,
        text: withNames(quote.text, nameOf),
      }));
      return { text: withNames(markdown, nameOf), quoted };
    },
  };
}

/** Returns the name of a channel; empty for private ones, whose names not everyone may see, and without the scope. */
async function channelName(calls: Reads, workspace: Workspace, id: string): Promise<string> {
  const answer = await calls
    .read(workspace, 'conversations.info', { channel: id })
    .catch(() => ({ channel: {} }));
  const channel = plain(answer.channel);
  return channel.is_private === true ? '' : (text(channel.name) ?? '');
}

async function groupNames(calls: Reads, workspace: Workspace): Promise<ReadonlyMap<string, string>> {
  const team = workspace.installation === undefined ? {} : { team_id: workspace.tenant };
  const answer = await calls
    .read(workspace, 'usergroups.list', { include_disabled: true, ...team })
    .catch(() => ({ usergroups: [] }));
  return new Map(
    plains(answer.usergroups).map((group) => [
      text(group.id) ?? '',
      text(group.handle) ?? text(group.name) ?? '',
    ]),
  );
}
