import type { ServerResponse } from 'node:http';
import type { RequestBodies } from '../../adapters/console/bodies.ts';
import type {
  ConsoleEvent,
  FileView,
  MessageView,
  ReceiptView,
  ReplyView,
  RoomView,
} from '../../adapters/console/wire.ts';

/** A reply that a test controls. It changes only when the test calls a method. */
export interface ReplyHand {
  readonly message: MessageView;
  readonly question: MessageView;
  readonly stopped: () => boolean;
  readonly append: (text: string) => void;
  readonly set: (rest: Partial<Omit<ReplyView, 'text'>>) => void;
}

export interface ConsoleServerOptions {
  /** Folder of the built page. */
  readonly page: string;
  /** Called with the reply to each question, so that the test can write it. */
  readonly onQuestion: (hand: ReplyHand) => void;
  readonly onRetry?: (hand: ReplyHand) => void;
  /** Access token. If set, the page must sign in with it. */
  readonly token?: string;
  readonly receipt?: ReceiptView['entries'];
}

export const agents = [
  { name: 'knowledge', description: 'Answers from the company documents, with sources', seesImages: false },
  { name: 'vision', description: 'Describes and compares images', seesImages: true },
  { name: 'analyst', description: 'Works through figures and tables', seesImages: false },
];
export const people = [
  { id: 'ada', name: 'Ada Lindqvist', title: 'Operations lead' },
  { id: 'ben', name: 'Ben Okafor', title: 'Support engineer' },
  { id: 'chen', name: 'Chen Wei', title: 'Guest' },
];
export const botName = 'parley';

function firstRooms(): RoomView[] {
  const rooms: RoomView[] = [
    { id: 'general', name: 'general', topic: 'Everyone, everything', kind: 'room' },
    { id: 'field-service', name: 'field-service', topic: 'Turbines, visits, spare parts', kind: 'room' },
    { id: 'onboarding', name: 'onboarding', topic: 'First weeks and first questions', kind: 'room' },
  ];
  for (const person of people)
    for (const agent of agents)
      rooms.push({
        id: `dm-${person.id}-${agent.name}`,
        name: agent.name,
        topic: agent.description,
        kind: 'direct',
        person: person.id,
        agent: agent.name,
      });
  return rooms;
}

export type World = ReturnType<typeof createWorld>;

export function createWorld(options: ConsoleServerOptions) {
  const world = {
    options,
    rooms: firstRooms(),
    messages: [] as MessageView[],
    events: [] as ConsoleEvent[],
    files: new Map<string, { view: FileView; bytes: Buffer }>(),
    streams: new Set<ServerResponse>(),
    nonces: new Map<string, MessageView>(),
    hands: new Map<string, ReplyHand>(),
    stops: new Set<string>(),
    /** Button presses on replies, oldest first. */
    acts: [] as { turn: string; what: string; body: unknown }[],
    /** If set, the server refuses posts with this sentence. */
    refusal: undefined as string | undefined,
    /** If true, the server refuses connections to the event stream. */
    deaf: false,
    seq: 0,
    count: 0,
    at: Date.now(),
    fresh: (kind: string): string => `${kind}-${++world.count}`,
    emit: (event: ConsoleEvent): void => {
      world.events.push(event);
      for (const stream of world.streams) stream.write(`data: ${JSON.stringify(event)}\n\n`);
    },
    /** Stores a message with the next sequence number and publishes it. */
    keep: (message: Omit<MessageView, 'seq'>): MessageView => {
      const kept = { ...message, seq: ++world.seq };
      world.messages = [...world.messages.filter((one) => one.id !== kept.id), kept].sort(
        (a, b) => a.at - b.at,
      );
      world.emit({ type: 'message', seq: kept.seq, message: kept });
      return kept;
    },
    find: (id: string): MessageView | undefined => world.messages.find((one) => one.id === id),
  };
  return world;
}

/** Posts a person's message, and begins a reply if the message is for an agent. */
export function postMessage(
  world: World,
  room: string,
  message: RequestBodies['/rooms/:id/messages'],
): MessageView {
  const known = world.nonces.get(message.nonce);
  if (known) return known;
  const view = world.rooms.find((one) => one.id === room);
  const id = world.fresh('message');
  const direct = view?.kind === 'direct';
  const thread = direct ? 'direct' : (message.thread ?? id);
  const kept = world.keep({
    ...{ id, room, thread, at: ++world.at, author: authorOf(message.as), text: message.text },
    files: message.files.flatMap((file) => world.files.get(file)?.view ?? []),
  });
  world.nonces.set(message.nonce, kept);
  const named = agents.find((agent) => message.text.includes(`@${agent.name}`))?.name;
  const engaged = world.messages.find((one) => one.room === room && one.thread === thread && one.reply);
  const asked = named ?? view?.agent ?? engaged?.reply?.agent;
  const agent = asked ?? (message.text.includes(`@${botName}`) ? 'knowledge' : undefined);
  if (agent) world.options.onQuestion(beginReply(world, kept, agent));
  return kept;
}

export function authorOf(id: string): MessageView['author'] {
  return { kind: 'person', id, name: people.find((person) => person.id === id)?.name ?? id };
}

const emptyReply = {
  text: '',
  steps: [],
  media: [],
  sources: [],
  suggestions: [],
  notices: [],
  retry: false,
  asMe: true as const,
};

function beginReply(world: World, question: MessageView, agent: string): ReplyHand {
  const turn = world.fresh('turn');
  const reply: ReplyView = { ...emptyReply, turn, question: question.id, agent, state: 'thinking' };
  const message = world.keep({
    ...{ id: world.fresh('message'), room: question.room, thread: question.thread, at: ++world.at },
    ...{ author: { kind: 'agent', id: agent, name: agent }, text: '', files: [], reply },
  });
  const root = world.find(question.thread);
  if (root) world.keep({ ...root, answers: (root.answers ?? 0) + 1, lastAt: message.at });
  const hand = handOf(world, message, question);
  world.hands.set(turn, hand);
  return hand;
}

function handOf(world: World, message: MessageView, question: MessageView): ReplyHand {
  const turn = message.reply?.turn ?? '';
  const place = { id: message.id, room: message.room, thread: message.thread };
  const change = (reply: ReplyView) => {
    const held = world.find(message.id);
    if (held)
      world.messages = world.messages.map((one) => (one === held ? { ...one, reply, seq: world.seq } : one));
  };
  const current = (): ReplyView =>
    world.find(message.id)?.reply ?? { ...emptyReply, turn, question: '', state: 'done' };
  return {
    message,
    question,
    stopped: () => world.stops.has(turn),
    append: (text) => {
      const reply = current();
      const seq = ++world.seq;
      change({ ...reply, text: reply.text + text });
      world.emit({ type: 'reply', seq, ...place, text: { at: reply.text.length, text } });
    },
    set: (changes) => {
      const before = current();
      const { text, ...rest } = { ...before, ...changes };
      const seq = ++world.seq;
      change({ ...rest, text });
      const held = world.find(message.id);
      // Sends the whole message if its state, turn or agent changed, as the real server does.
      const turned = rest.state !== before.state || rest.turn !== before.turn || rest.agent !== before.agent;
      if (turned && held) world.emit({ type: 'message', seq, message: held });
      else world.emit({ type: 'reply', seq, ...place, rest });
    },
  };
}
