/** Runs the commands of XEP-0050. Typed commands and short messages do the same, with the same checks. */

import { type Message, openReply, type Pressed, type ThreadRef } from 'parley/kit';
import { actionWords, taken } from 'parley/kit/ladder';
import { CHANNEL } from '../protocol.ts';
import { sourceLines } from '../render/message.ts';
import { words } from '../render/words.ts';
import { ownKey } from './people.ts';
import { act, type Pressing, pressOn } from './press.ts';
import { type ShownReply, threadOf } from './sent.ts';

/** A person who runs a command, and where. */
export type Actor = Pick<Pressing, 'person' | 'room' | 'kind' | 'key'>;

/** A form that a command asks the person to fill in. */
export interface Form {
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    /** Value and label of each choice; absent for a field of free text. */
    readonly options?: readonly (readonly [string, string])[];
  }[];
  submit(values: ReadonlyMap<string, string>, actor: Actor): Promise<Pressed>;
}

export interface Acting extends Pick<Pressing, 'host' | 'sent' | 'tenant'> {
  /** Returns why the person may not ask here; undefined if they may. */
  refusal(actor: Actor): string | undefined;
}

const info = (sentence: string): Pressed => ({ kind: 'done', sentence });
const idle = (sentence: string): Pressed => ({ kind: 'idle', sentence });

/** Runs a command. Returns its result, or a form that the person must fill in first. */
export async function runAction(node: string, actor: Actor, acting: Acting): Promise<Pressed | Form> {
  if (node === 'new' || node === 'stop') return type(node, actor, acting);
  const reply = await acting.sent.lastBy(actor.room, actor.person.id);
  if (reply === undefined) return idle(words.noAnswer);
  switch (node) {
    case 'again':
      return again(reply, actor, acting);
    case 'suggestions':
      return suggest(reply, actor, acting);
    case 'agent':
      return chooseAgent(reply, acting);
    case 'sources':
      return showSources(reply, actor, acting);
    default:
      return rate(reply, acting);
  }
}

const pressingOf = ({ person, room, kind, key }: Actor, { host, sent, tenant }: Acting): Pressing => ({
  ...{ person, host, sent, tenant, room, kind, key },
});

/** Passes a command on as if the person had typed it. */
async function type(text: string, actor: Actor, acting: Acting): Promise<Pressed> {
  const { host, sent, tenant } = acting;
  const { person, room, kind, key } = actor;
  const last = await sent.lastBy(room, person.id);
  const thread: ThreadRef = {
    ...{ channel: CHANNEL, tenant, room, kind },
    key: last?.key ?? ownKey({ room, isRoom: kind === 'room' }, person),
  };
  const message: Message = {
    ...{ id: `${person.id}/command/${key}`, thread, sender: person, text },
    ...{ quoted: [], files: [], sentAt: host.clock.now(), revision: 0 },
  };
  const origin = { kind: 'message', key: message.id, revision: 0 } as const;
  const done = text === 'stop' ? actionWords.stopping : words.inChat;
  return taken(() => host.intake({ kind: 'ask', origin, message }), { host, done });
}

async function again(reply: ShownReply, actor: Actor, acting: Acting): Promise<Pressed> {
  const kept = await keptOf(reply, actor, acting);
  return act({ action: kept?.retry ? 'retry' : 'regenerate', detail: '' }, reply, pressingOf(actor, acting));
}

const keptOf = (reply: ShownReply, { room }: Actor, { host, tenant }: Acting) =>
  host.reply(reply.turn, threadOf(tenant, room, reply));

async function suggest(reply: ShownReply, actor: Actor, acting: Acting): Promise<Pressed | Form> {
  const { suggestions = [] } = (await keptOf(reply, actor, acting)) ?? {};
  if (suggestions.length === 0) return idle(words.noSuggestions);
  const options = suggestions.map((text) => [text, text] as const);
  return {
    fields: [{ name: 'question', label: words.question, options }],
    submit: (values, by) =>
      act({ action: 'suggestion', detail: values.get('question') ?? '' }, reply, pressingOf(by, acting)),
  };
}

function chooseAgent(reply: ShownReply, acting: Acting): Form {
  const options = acting.host.agents().map(({ name }) => [name, name] as const);
  return {
    fields: [{ name: 'agent', label: words.agent, options }],
    submit: (values, by) =>
      act({ action: 'agent', detail: values.get('agent') ?? '' }, reply, pressingOf(by, acting)),
  };
}

/** Returns the sources in the result, which only this person sees. */
async function showSources(reply: ShownReply, actor: Actor, acting: Acting): Promise<Pressed> {
  const { press, context } = pressOn({ action: 'sources', detail: '' }, reply, pressingOf(actor, acting));
  return taken(
    async () => {
      const opened = await openReply(press, context);
      if (opened.kind === 'refused') return opened;
      const { host } = acting;
      const linkOf = (...[source, turn]: Parameters<Parameters<typeof sourceLines>[1]>) =>
        host.sourceLink(source, { turn, thread: press.thread });
      const lines = sourceLines(opened.reply, linkOf);
      return lines === '' ? idle(actionWords.noSources) : info(lines);
    },
    { host: acting.host, done: '' },
  );
}

function rate(reply: ShownReply, acting: Acting): Form {
  const verdicts = words.verdicts.map(([verdict, label]) => [verdict, label] as const);
  return {
    fields: [
      { name: 'verdict', label: words.rating, options: verdicts },
      { name: 'note', label: words.note },
    ],
    submit: (values, by) => {
      const note = values.get('note')?.trim() ?? '';
      const rated = { action: 'feedback', detail: values.get('verdict') ?? '', note } as const;
      return act(rated, reply, pressingOf(by, acting));
    },
  };
}
