/** Looks up the names of people, public channels and user groups that a text mentions by their ids. */

import { type Cache, createCache, plain, plains, share, text } from '../../../src/kit/ladder.ts';
import type { Clock, Quote } from '../../../src/kit.ts';
import type { Reads } from '../api/calls.ts';
import type { Workspace } from '../api/workspace.ts';
import { mentioned, withNames } from './address.ts';
import type { Unnamed } from './message-text.ts';
import type { People } from './people.ts';

/** Maximum number of names that are looked up for one question; for all others, the text keeps the ids. */
const MAX_NAMES = 30;
/** Maximum number of channels and workspaces whose names are kept, and their time in milliseconds. */
const KEPT = { max: 2_000, ttlMs: 10 * 60_000 };

export type Names = ReturnType<typeof createNames>;

export function createNames({ calls, people, clock }: { calls: Reads; people: People; clock: Clock }) {
  const channels: Cache<Promise<string>> = createCache({ clock, ...KEPT });
  const groups: Cache<Promise<ReadonlyMap<string, string>>> = createCache({ clock, ...KEPT });
  const channel = (workspace: Workspace, id: string): Promise<string> => {
    const key = `${workspace.tenant} ${id}`;
    return channels.get(key) ?? share(channels, key, channelName(calls, workspace, id));
  };
  const groupsOf = (workspace: Workspace) =>
    groups.get(workspace.tenant) ?? share(groups, workspace.tenant, groupNames(calls, workspace));
  return {
    /** Replaces ids by names in a text and in quotes. Ids that Slack does not name stay. */
    async named(markdown: string, quotes: readonly Unnamed[], workspace: Workspace, signal: AbortSignal) {
      const ids = mentioned([markdown, ...quotes.map((quote) => quote.text)].join('\n'));
      const persons = new Set([...quotes.flatMap(({ user }) => user ?? []), ...ids.people]);
      const first = (all: Iterable<string>) => [...all].slice(0, MAX_NAMES);
      const looks: Promise<readonly [string, string | undefined]>[] = [
        ...first(persons).map(async (id) => [id, (await people.find(workspace, id, signal)).name] as const),
        ...first(ids.channels).map(async (id) => [id, await channel(workspace, id)] as const),
        ...first(ids.groups).map(async (id) => [id, (await groupsOf(workspace)).get(id)] as const),
      ];
      const settled = await Promise.allSettled(looks);
      signal.throwIfAborted();
      const found = new Map(settled.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : [])));
      const nameOf = (id: string) => found.get(id) || undefined;
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
