/** A person as a test holds them. */

import type { Delivery } from '../deliver/deliver.ts';
import type { Json } from '../read.ts';
import type { Conversation, Message, Person } from '../shapes.ts';
import { personalChat } from '../world.ts';
import type { Scene } from './activity.ts';
import { type Act, edit, erase, react, restore, stopStream } from './change.ts';
import { type Rated, type Rating, rate } from './feedback.ts';
import { install, moves, removeApp, told } from './install.ts';
import { type Invoked, viewOf } from './invoke.ts';
import { actionsOf, look, press } from './press.ts';
import { type Heard, type SayOptions, say } from './say.ts';

export interface FakePerson extends Person {
  /** The chat of the person and the app, with the app installed and nobody told. */
  dm(): Conversation;
  says(conversation: Conversation, text: string, options?: SayOptions): Heard;
  /** The same with the app's name before it. */
  mentions(conversation: Conversation, text: string, options?: SayOptions): Heard;
  /** The delivery is absent where the app is told nothing. */
  edits(message: Message, text: string, options?: SayOptions): Delivery | undefined;
  deletes(message: Message): Delivery | undefined;
  restores(message: Message): Delivery | undefined;
  reacts(message: Message, reaction: string): Delivery | undefined;
  takesBack(message: Message, reaction: string): Delivery | undefined;
  /** Adds the app to a chat or a team; without a place, for themselves. */
  installs(conversation?: Conversation): readonly Delivery[];
  removes(conversation: Conversation): readonly Delivery[];
  joins(conversation: Conversation): Delivery;
  leaves(conversation: Conversation): Delivery;
  /** Presses an action of a card by its title or verb; `inputs` by the ids of the fields. */
  presses(message: Message, what: string, inputs?: Readonly<Record<string, string>>): Invoked;
  /** Presses a suggested action: says it. */
  picks(message: Message, title: string): Heard;
  /** Titles of what can be pressed there now. */
  offers(message: Message): readonly string[];
  /** The cards as this person sees them. */
  cards(message: Message): readonly Json[];
  /** What Teams does when a card that refreshes itself comes into view. */
  looks(message: Message): Invoked | undefined;
  rates(message: Message, rating: Rating): Rated;
  /** The native Stop of a stream; answers the messages that it ended. */
  stops(conversation: Conversation): readonly Message[];
  /** Any activity of this person, such as an event of a kind that is not above. */
  sends(conversation: Conversation, activity: Json): Delivery;
}

export function personHandle(scene: Scene, person: Person): FakePerson {
  const { server, tenant } = scene;
  const { world } = server;
  const { aadObjectId } = person;
  const act = (message: Message): Act => {
    const conversation = tenant.conversations.get(message.conversation);
    if (conversation === undefined)
      throw new Error(`The tenant has no conversation ${message.conversation}.`);
    return { scene, person, conversation, message };
  };
  const says: FakePerson['says'] = (conversation, text, options) =>
    say(scene, person, conversation, { ...options, text });
  return {
    ...person,
    dm: () => personalChat(world, tenant, person),
    says,
    mentions: (conversation, text, options) =>
      says(conversation, `<at>${world.app.name}</at> ${text}`, options),
    edits: (message, text, options = {}) => edit(act(message), text, options),
    deletes: (message) => erase(act(message)),
    restores: (message) => restore(act(message)),
    reacts: (message, reaction) => react(act(message), { reaction, how: 'reactionsAdded' }),
    takesBack: (message, reaction) => react(act(message), { reaction, how: 'reactionsRemoved' }),
    installs: (conversation = personalChat(world, tenant, person)) => install(scene, person, conversation),
    removes: (conversation) => removeApp(scene, person, conversation),
    joins: (conversation) => moves(scene, person, conversation, 'membersAdded'),
    leaves: (conversation) => moves(scene, person, conversation, 'membersRemoved'),
    presses: (message, what, inputs = {}) => press(act(message), { what, inputs }),
    picks: (message, title) => {
      const picked = message.shown.suggested.find((each) => each.title === title);
      if (picked === undefined) throw new Error(`Nothing there suggests ${title}.`);
      return says(act(message).conversation, String(picked.value));
    },
    offers: (message) => actionsOf(message, aadObjectId).map(({ title, verb }) => String(title ?? verb)),
    cards: (message) => viewOf(message, aadObjectId),
    looks: (message) => look(act(message)),
    rates: (message, rating) => rate(act(message), rating),
    stops: (conversation) => stopStream(conversation),
    sends: (conversation, activity) => scene.deliver(told(scene, person, conversation, activity)),
  };
}
