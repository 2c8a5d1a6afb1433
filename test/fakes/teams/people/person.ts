/** The interface of a person for tests. */

import type { Delivery } from '../deliver/deliver.ts';
import type { Json } from '../read.ts';
import type { Conversation, Message, Person } from '../shapes.ts';
import { signInCardIn } from '../sign-on/card.ts';
import { type Clients, sendInvoke, sendToken, signInByHand } from '../sign-on/clients.ts';
import { type PersonTokenOptions, personToken } from '../sign-on/tokens.ts';
import { addCopilotChat, personalChat } from '../world.ts';
import type { Scene } from './activity.ts';
import { type Act, edit, erase, react, restore, stopStream } from './change.ts';
import { type Rated, type Rating, rate } from './feedback.ts';
import { install, moves, removeApp, told } from './install.ts';
import { type Invoked, viewOf } from './invoke.ts';
import { type Opened, openCommand } from './message-action.ts';
import { actionsOf, look, press } from './press.ts';
import { type Heard, type SayOptions, say } from './say.ts';

export interface FakePerson extends Person {
  /** Returns the person's chat with the app. Installs the app in it if necessary, but sends no event. */
  dm(): Conversation;
  /** Opens a new chat with the app in Microsoft 365 Copilot. */
  copilot(): Conversation;
  says(conversation: Conversation, text: string, options?: SayOptions): Heard;
  /** Sends a message that begins with a mention of the app. */
  mentions(conversation: Conversation, text: string, options?: SayOptions): Heard;
  /** Returns undefined if the app gets no event. */
  edits(message: Message, text: string, options?: SayOptions): Delivery | undefined;
  deletes(message: Message): Delivery | undefined;
  restores(message: Message): Delivery | undefined;
  reacts(message: Message, reaction: string): Delivery | undefined;
  takesBack(message: Message, reaction: string): Delivery | undefined;
  /** Adds the app to a chat or a team; without an argument, to the personal chat. */
  installs(conversation?: Conversation): readonly Delivery[];
  removes(conversation: Conversation): readonly Delivery[];
  joins(conversation: Conversation): Delivery;
  leaves(conversation: Conversation): Delivery;
  /** Presses the card action with this title or verb. `inputs`: values by the ids of the fields. */
  presses(message: Message, what: string, inputs?: Readonly<Record<string, string>>): Invoked;
  /** Presses a suggested action, which sends its message. */
  picks(message: Message, title: string): Heard;
  /** Returns the titles of the message's actions. */
  offers(message: Message): readonly string[];
  /** Returns the cards that this person sees. */
  cards(message: Message): readonly Json[];
  /** Opens a command in the menu of a message, such as `askAbout`. */
  opens(message: Message, commandId: string): Opened;
  /** Requests the refresh of a card, as Teams does when the card becomes visible. */
  looks(message: Message): Invoked | undefined;
  rates(message: Message, rating: Rating): Rated;
  /** Presses Teams' own Stop of a stream; returns the messages that it ended. */
  stops(conversation: Conversation): readonly Message[];
  /** Sets what the person's Teams clients do when they see a sign-in card. */
  clients(clients: Clients): void;
  /** Returns the person's token for the app, as a client would send it. */
  token(options?: PersonTokenOptions): string;
  /** Sends a token for a sign-in card, as one client would. */
  exchanges(card: Message | { readonly id: string }, token: string): Delivery;
  /** Presses the button of a sign-in card and signs in. */
  signsIn(message: Message): Promise<Delivery>;
  /** Sends an invoke. */
  invokes(conversation: Conversation, name: string, value: Json): Delivery;
  /** Sends any activity of this person, for other kinds of events. */
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
  /** The conversation of a card's message; for a card that was never sent, the personal chat. */
  const at = (card: Message | { readonly id: string }) => ('conversation' in card ? act(card) : own());
  const own = () => ({ scene, person, conversation: personalChat(world, tenant, person) });
  const says: FakePerson['says'] = (conversation, text, options) =>
    say(scene, person, conversation, { ...options, text });
  return {
    ...person,
    dm: () => personalChat(world, tenant, person),
    copilot: () => {
      if (!world.manifest.copilot) throw new Error('Microsoft 365 Copilot does not offer the app.');
      return addCopilotChat(world, tenant, person);
    },
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
    opens: (message, commandId) => openCommand(act(message), commandId),
    looks: (message) => look(act(message)),
    rates: (message, rating) => rate(act(message), rating),
    stops: (conversation) => stopStream(conversation),
    clients: (clients) => void server.clients.set(aadObjectId, clients),
    token: (options) => personToken(world, person, tenant.id, options),
    exchanges: (card, token) => {
      const known = 'shown' in card ? signInCardIn(card.shown) : undefined;
      return sendToken({ connectionName: '', id: known?.id ?? card.id }, token, at(card));
    },
    signsIn: (message) => signInByHand(message, at(message)),
    invokes: (conversation, name, value) => sendInvoke(name, value, { scene, person, conversation }),
    sends: (conversation, activity) => scene.deliver(told(scene, person, conversation, activity)),
  };
}
