/** Plays one labelled thread and returns the messages that were not handled as labelled. */

import { parseCommand } from '../../../src/core/commands/reading.ts';
import type { Intake } from '../../../src/kit.ts';
import { createEngaging } from '../../fakes/engaging.ts';
import { memoryKeyed } from '../slack/keyed.ts';

type Label = 'question' | 'command' | 'silence';

export interface Written {
  readonly from: string;
  readonly mentions?: readonly string[];
  readonly text?: string;
  readonly kind?: 'text' | 'gif' | 'sticker' | 'praise' | 'card' | 'file' | 'emoji';
  readonly expect?: Label;
}

export interface Labelled {
  readonly name: string;
  readonly room: 'room' | 'group' | 'direct';
  readonly setting?: 'alone' | 'always' | 'mention';
  /** The reason why the labels do not apply to a channel. */
  readonly except?: Readonly<Record<string, string>>;
  readonly messages: readonly Written[];
}

/** A channel with one thread. */
export interface Player {
  /** Resolves with the event that the bridge got; undefined if the channel stayed silent. */
  write(message: Written, at: number): Promise<Intake | undefined>;
  answer(): Promise<void>;
}

/** Time of the first message in milliseconds, and time between two messages. */
const START = 1_800_000_000_000;
const STEP_MS = 10_000;

export async function wrongIn({ name, messages }: Labelled, player: Player) {
  const wrong: { thread: string; index: number; text: string; expect: Label; got: Label }[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.from === 'app') {
      await player.answer();
      continue;
    }
    const taken = await player.write(message, START + index * STEP_MS);
    const got = labelOf(taken);
    const { expect = 'silence', text = message.kind ?? '' } = message;
    if (got !== expect) wrong.push({ thread: name, index, text, expect, got });
  }
  return wrong;
}

function labelOf(taken: Intake | undefined): Label {
  if (taken?.kind !== 'ask') return 'silence';
  return parseCommand(taken.message.text) === undefined ? 'question' : 'command';
}

/** Kinds of messages in which the text, if there is one, does not belong to the person. */
const FOREIGN: readonly Written['kind'][] = ['gif', 'sticker', 'praise', 'card'];

export const ownText = ({ kind, text = '' }: Written): string => (FOREIGN.includes(kind) ? '' : text);

/** Returns the text with mentions as the channel writes them. A mention that the text does not contain stands first. */
export function withMentions(message: Written, markOf: (name: string) => string): string {
  const { mentions = [] } = message;
  return mentions.reduceRight((text, name) => {
    const written = new RegExp(`@${name === 'app' ? '(?:app|parley)' : name}\\b`, 'i');
    return written.test(text) ? text.replace(written, markOf(name)) : `${markOf(name)} ${text}`;
  }, ownText(message));
}

/** The state of a channel, and what the bridge got. */
export function openState() {
  const state = memoryKeyed(new Map());
  const engaging = createEngaging(state);
  const taken: Intake[] = [];
  return {
    state,
    engaging,
    async intake(event: Intake) {
      taken.push(event);
      return engaging.noted(event, { kind: 'kept' as const, turn: 't' as never, ahead: 0 });
    },
    /** Returns the event since the last call. */
    last: () => taken.splice(0).at(-1),
  };
}
