/** Passes each event from Teams to its handler. */

import type { AgentCard, Background, Talk } from '../../src/kit/ladder.ts';
import type { AdapterHost } from '../../src/kit.ts';
import type { TeamsEvent, TeamsPlace } from './activity.ts';
import type { TeamsConfig } from './config.ts';
import { readConversation } from './ids.ts';
import { takeIn } from './inbound/intake.ts';
import { type Posts, sendOnce, wordsMessage } from './inbound/posts.ts';
import { words } from './inbound/words.ts';
import type { Interactions } from './interactions/interactions.ts';
import type { InvokeAnswer } from './receive/http.ts';
import type { Places } from './receive/places.ts';

interface DispatchDeps {
  readonly config: TeamsConfig;
  readonly host: AdapterHost;
  readonly places: Places;
  readonly posts: Pick<Posts, 'send'>;
  readonly talk: Talk;
  readonly interactions: Interactions;
  /** Absent if single sign-on is off. */
  readonly signOn: Pick<Interactions, 'invoke'> | undefined;
  readonly background: Background;
}

/** Resolves once the event is stored. For an invoke, resolves with the response. */
export async function dispatch(event: TeamsEvent, deps: DispatchDeps): Promise<InvokeAnswer | undefined> {
  const { config, places, talk, interactions, background } = deps;
  switch (event.kind) {
    case 'said':
    case 'edited':
      await places.remember(event.message.place);
      interactions.noteRoom(event.message.place, event.message.sender);
      await takeIn(event, talk, config);
      return undefined;
    case 'deleted':
      await takeIn(event, talk, config);
      return undefined;
    case 'reacted':
      await interactions.react(event);
      return undefined;
    case 'installed':
      await places.remember(event.place);
      background.run('a greeting', () => greet(event.place, deps));
      return undefined;
    case 'removed':
      await remove(event, deps);
      return undefined;
    case 'invoked':
      interactions.noteRoom(event.place, event.by);
      return (await deps.signOn?.invoke(event)) ?? (await interactions.invoke(event)) ?? { status: 501 };
  }
}

/** Deletes all data of the conversations that the app was removed from, within 60 s as the privacy rule requires. */
async function remove(
  { place, from }: { readonly place: TeamsPlace; readonly from: 'room' | 'team' },
  { host, places, interactions }: DispatchDeps,
): Promise<void> {
  const { room } = readConversation(place.conversation);
  const { team = room } = place;
  // Include the team's id, so that the stored list of its channels is deleted too.
  const inTeam = from === 'team' ? [...(await places.ofTeam(place)), team] : [];
  for (const each of new Set([...inTeam, room])) {
    await places.forget(place.tenant, each);
    await interactions.left(place.tenant, each);
    await host.forgetRoom(place.tenant, each);
  }
}

/** Time for which a sent greeting is remembered, in milliseconds: as long as the conversation is stored. */
const KEPT_MS = 400 * 24 * 60 * 60_000;
/** Maximum agents listed in a greeting; the command `agents` lists all of them. */
const AGENTS = 10;
/** Maximum suggestions in a greeting. Teams shows "up to three" (Microsoft's page on prompt suggestions). */
const SUGGESTED = 3;

/**
 * Sends one greeting per installation. Teams reports one installation several times: for the team, for its members and
 * for each upgrade.
 */
async function greet(place: TeamsPlace, deps: DispatchDeps): Promise<void> {
  const { tenant } = place;
  const { room } = readConversation(place.conversation);
  const note = { key: `greeted ${tenant} ${room}`, ttlMs: KEPT_MS, owner: { tenant, room } };
  await sendOnce(note, deps.host.state, () => deps.posts.send(place, greetingOf(place, deps)));
}

function greetingOf({ kind }: TeamsPlace, { config, host }: DispatchDeps): object {
  const agents = host.agents();
  const isDirect = kind === 'direct';
  const text = [
    isDirect ? words.hello(config.name) : words.helloThere(config.name),
    ...agentLines(agents),
    words.help,
  ].join('\n');
  const suggested = isDirect ? suggestions(config.prompts, agents) : [];
  return {
    ...wordsMessage(text),
    ...(suggested.length > 0 && { suggestedActions: { actions: suggested } }),
  };
}

function agentLines(agents: readonly AgentCard[]): readonly string[] {
  const [first] = agents;
  if (first === undefined || agents.length < 2) return [];
  const lines = agents.slice(0, AGENTS).map(({ name, description }) => words.agentLine(name, description));
  return [words.agents, ...lines, words.howToChoose(first.name)];
}

/**
 * Returns the suggestions of a greeting. When a person presses one, Teams sends its `value` as a message from that
 * person.
 */
function suggestions(prompts: TeamsConfig['prompts'], agents: readonly AgentCard[]): readonly object[] {
  const offered =
    prompts.length > 0
      ? prompts
      : agents.map(({ name }) => ({ title: words.promptTitle(name), message: words.promptMessage(name) }));
  return offered.slice(0, SUGGESTED).map(({ title, message: value }) => ({ type: 'imBack', title, value }));
}
