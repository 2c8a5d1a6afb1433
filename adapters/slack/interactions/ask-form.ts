/**
 * The form in which a person asks an agent. The shortcuts "Ask an agent about this" and "Ask an agent" open it, and so
 * does the app's home.
 */

import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { type AgentCard, type AgentName, agentName, plain, text, texts } from '../../../src/kit/ladder.ts';
import { defined, type Quote } from '../../../src/kit.ts';
import { threadOf } from '../inbound/intake.ts';
import { privateThread } from '../private-places.ts';
import type { ActOf, SlackMessage, SlackView } from '../receive/events.ts';
import {
  aside,
  chosenIn,
  input,
  modal,
  notice,
  option,
  optionalInput,
  select,
  textInput,
  writtenIn,
} from '../render/blocks.ts';
import { label } from '../render/escape.ts';
import { actMessage, actPost, askInPublic, nameOf, takeIn } from './asking.ts';
import { type Admitted, admit, type Interaction, threadAt } from './deps.ts';
import { openView, tell } from './tell.ts';
import { words } from './words.ts';

export const ASK = 'ask';
const TITLE = 'Ask an agent';
/**
 * Time for which the bridge stores the message that a question in the form refers to, in milliseconds. If the form is
 * sent later, the message is no longer known.
 */
const FORM_MS = 30 * 60_000;
/** Maximum characters of a text input in Slack. */
const QUESTION = 3_000;
/** Maximum characters of the quoted message in the form. */
const QUOTED = 300;

interface AskLook {
  readonly agents: readonly AgentCard[];
  readonly initial?: AgentName | undefined;
  readonly question?: string;
  /** The message that the question is about. */
  readonly about?: Quote | undefined;
  readonly metadata?: string;
}

export function askForm({ agents, initial, question, about, metadata }: AskLook): ModalView {
  const options = agents.map(({ name }) => option(name, name));
  const agent = select('agent', options, 'The usual one', initial);
  return modal({
    callback: ASK,
    title: TITLE,
    submit: 'Ask',
    metadata,
    blocks: [
      ...(about === undefined ? [] : [aside(label(`${about.author}: ${about.text}`, QUOTED, '–'))]),
      // With a single agent, the form has no menu of agents.
      ...(agents.length < 2 ? [] : [optionalInput('agent', 'Agent', agent)]),
      input('question', 'Question', textInput('question', QUESTION, question)),
    ],
  });
}

export interface Filled {
  readonly agent?: AgentName;
  readonly question: string;
}

function readAskForm(view: SlackView, agents: readonly AgentCard[]): Filled {
  const chosen = chosenIn(view, 'agent');
  const agent = agents.find(({ name }) => name === chosen)?.name;
  return { question: writtenIn(view, 'question'), ...defined({ agent }) };
}

const filled = z.string().min(1);

const storedQuote = z.object({ author: z.string(), text: z.string() });

/**
 * The message that the question in a form refers to. Stored encrypted on the bridge until the form is sent, because
 * Slack's form metadata has too little space, and people can read it.
 */
const storedAbout = z.object({
  conversation: filled,
  conversationType: filled.exactOptional(),
  ts: filled,
  threadTs: filled.exactOptional(),
  quote: storedQuote.exactOptional(),
  /** The messages that the message shares. */
  shared: z.array(storedQuote).default([]),
  responseUrl: filled.exactOptional(),
});

type About = z.output<typeof storedAbout>;

const keyOf = (tenant: string, user: string, key: string) => `slack about ${tenant} ${user} ${key}`;

export function openShortcut(interaction: Interaction, { message }: ActOf<'shortcut'>): Promise<void> {
  return openView(interaction, TITLE, async () => {
    const admission = await admit(interaction);
    if (admission.kind === 'refused') return notice(TITLE, admission.sentence);
    return message === undefined ? formFor(interaction) : formAbout(admission, message);
  });
}

/**
 * Returns the form.
 * @param agent the agent to preselect; by default the one that the person prefers
 */
export async function formFor({ deps, workspace, by }: Interaction, agent?: string) {
  const preference = await deps.preferences.of(workspace.tenant, by.user);
  const initial = agent === undefined ? preference.agent : agentName(agent);
  return askForm({ agents: deps.host.agents(), initial });
}

async function formAbout(interaction: Admitted, message: SlackMessage) {
  const { deps, workspace, by } = interaction;
  const [quote, ...shared] = (await deps.quotes(message, workspace, deps.signal)).quoted;
  const { conversation, conversationType, ts, threadTs } = message;
  const optional = defined({ conversationType, threadTs, responseUrl: by.responseUrl });
  const about = { conversation, ts, quote, shared, ...optional };
  const key = by.trigger ?? ts;
  await deps.host.secrets.set(keyOf(workspace.tenant, by.user, key), about, FORM_MS, {
    tenant: workspace.tenant,
    person: by.user,
  });
  const agents = deps.host.agents();
  return askForm({ agents, question: words.aboutThis, about: quote, metadata: key });
}

/**
 * Asks the question that a person sent with the form. The form is already closed, so the person sees results as notes.
 * If a process ended before it had asked the question, another process calls this function again.
 */
export async function askFromForm(interaction: Interaction, view: SlackView): Promise<void> {
  const { deps, workspace, by } = interaction;
  const { secrets } = deps.host;
  const progress = progressOf(interaction, view);
  if ((await progress.read()).isAsked) return;
  const form = { ...readAskForm(view, deps.host.agents()), act: view.id };
  const admission = await admit(interaction);
  if (admission.kind === 'refused') return void (await tell(interaction, admission.sentence));
  const key = keyOf(workspace.tenant, by.user, view.metadata);
  const about = view.metadata === '' ? undefined : storedAbout.safeParse(await secrets.get(key)).data;
  await (about === undefined ? askDirectly(admission, form, progress) : askAbout(admission, about, form));
  if (about === undefined) return;
  // Without the mark, a further call would no longer find the message, and would ask without it. If the store fails, the
  // message expires by itself.
  const mark = progress.write({ isAsked: true });
  await mark.then(() => secrets.delete(key)).catch(() => undefined);
}

/** Milliseconds for which the progress of a sent form is stored; as long as the form itself may be stored. */
const PROGRESS_MS = 24 * 60 * 60_000;

/** The steps of a sent form that are done already. */
interface Progress {
  readonly isAsked?: boolean;
  /** The post of the question in the app's direct message. */
  readonly post?: { readonly room: string; readonly ts: string };
}

/** Returns the stored progress of a sent form. */
function progressOf({ deps: { host }, workspace, by }: Interaction, { id }: SlackView) {
  const key = `form ${workspace.tenant} ${by.user} ${id}`;
  return {
    async read(): Promise<Progress> {
      const stored = plain(await host.state.get(key));
      const post = texts({ room: stored.room, ts: stored.ts });
      return { isAsked: stored.isAsked === true, ...defined({ post }) };
    },
    write: ({ isAsked = false, post }: Progress): Promise<void> =>
      host.state.set(key, { isAsked, ...post }, PROGRESS_MS, {
        tenant: workspace.tenant,
        person: by.user,
      }),
  };
}

/** Asks in the message's thread, or privately if the app is not a member of the channel. */
async function askAbout(
  admitted: Admitted,
  about: About,
  { question, agent, act }: Filled & { readonly act: string },
): Promise<void> {
  const { deps, workspace, person } = admitted;
  const { conversation, quote, shared, responseUrl } = about;
  const by = { ...admitted.by, ...defined({ responseUrl }) };
  const interaction = { ...admitted, by, conversation, threadTs: about.threadTs ?? about.ts };
  const origin = { kind: 'act', key: act } as const;
  const note = await noteInside(interaction);
  // The question is compared with Slack's messages, so its time comes from Slack's clock, if possible.
  const ts = note?.ts ?? (deps.host.clock.now() / 1_000).toFixed(6);
  const request = { text: question, agent, quoted: [...(quote === undefined ? [] : [quote]), ...shared], ts };
  if (note !== undefined) {
    const message = actMessage(interaction, { ...request, thread: threadOf(about, workspace) });
    const line = words.askedAbout(nameOf(person.id));
    await takeIn(interaction, () => askInPublic(interaction, { origin, message, said: line }));
    return;
  }
  const thread = privateThread(workspace.tenant, conversation, person.id, act);
  await deps.places.keep(thread, { user: person.id, ...defined({ responseUrl }) });
  const message = actMessage(interaction, { ...request, thread });
  const isTaken = await takeIn(interaction, () => deps.host.intake({ kind: 'ask', origin, message }));
  if (isTaken) await tell(interaction, words.asking(agent));
}

/**
 * Posts a note that only the person sees. Slack accepts it only if the app is a member of the channel; otherwise
 * resolves with undefined.
 */
async function noteInside({ deps, workspace, person, conversation, threadTs }: Admitted) {
  const note = { channel: conversation, user: person.id, thread_ts: threadTs, text: words.askingInThread };
  const posted = await deps.calls.call(workspace, 'chat.postEphemeral', note);
  return posted.kind === 'done' ? defined({ ts: text(posted.body.message_ts) }) : undefined;
}

/** Asks in the app's direct message, in the thread of a post that contains the question. */
async function askDirectly(
  interaction: Admitted,
  { question, agent, act }: Filled & { readonly act: string },
  progress: ReturnType<typeof progressOf>,
): Promise<void> {
  const { deps, workspace, person } = interaction;
  let { post } = await progress.read();
  if (post === undefined) {
    post = await postQuestion(interaction, question);
    if (post === undefined) return void (await tell(interaction, words.trouble));
    await progress.write({ post });
  }
  const { room, ts } = post;
  const thread = threadAt(workspace, { room, key: ts, kind: 'direct' });
  const chosen = agent ?? (await deps.preferences.of(workspace.tenant, person.id)).agent;
  const message = actMessage(interaction, { thread, text: question, agent: chosen, ts });
  const there = { ...interaction, conversation: room, threadTs: ts };
  await takeIn(there, () => deps.host.intake({ kind: 'ask', origin: { kind: 'act', key: act }, message }));
}

/** Posts the question to the person's id, which opens the app's direct message. Returns undefined if Slack refuses. */
async function postQuestion(
  { deps, workspace, person }: Admitted,
  question: string,
): Promise<Progress['post']> {
  const posted = await deps.calls.call(workspace, 'chat.postMessage', {
    channel: person.id,
    ...actPost(words.asked(nameOf(person.id)), question),
  });
  return posted.kind === 'done' ? texts({ room: posted.body.channel, ts: posted.body.ts }) : undefined;
}
