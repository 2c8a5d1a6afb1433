/** Slack shortcuts: "Ask an agent about this" on a message, and "Ask an agent" anywhere. */

import { isPlain, plain, text } from '../../../src/kit/json.ts';
import { agentName, type Keyed, type Quote } from '../../../src/kit.ts';
import { threadOf } from '../inbound/intake.ts';
import { messageMarkdown } from '../inbound/message-text.ts';
import { privateThread } from '../private.ts';
import type { SlackAct, SlackMessage, SlackView } from '../receive/events.ts';
import { askForm, type Filled, readAskForm } from './ask-form.ts';
import { actMessage, actPost, askInPublic, nameOf, takeIn } from './asking.ts';
import { notice } from './blocks.ts';
import { type Admitted, admit, type Scene, threadAt } from './deps.ts';
import { openView, tell } from './tell.ts';
import { words } from './words.ts';

/** A form sent later than this no longer has its message, so its question is asked without it. */
const FORM_MS = 30 * 60_000;
/** Maximum UTF-16 units of the quoted message. */
const QUOTE_CHARS = 4_000;
const TITLE = 'Ask an agent';

type Shortcut = Extract<SlackAct, { kind: 'shortcut' }>;

/** The message that a form is about. Stored encrypted until the form is sent: form metadata is too small and readable. */
interface About {
  readonly conversation: string;
  readonly conversationType?: string;
  readonly ts: string;
  readonly threadTs?: string;
  readonly quote: Quote;
  readonly responseUrl?: string;
}

const keyOf = (tenant: string, user: string, key: string) => `slack about ${tenant} ${user} ${key}`;

export function openShortcut(scene: Scene, { message }: Shortcut): Promise<void> {
  return openView(scene, {
    title: TITLE,
    prepare: async () => {
      const admission = await admit(scene);
      if (admission.kind === 'refused') return notice(TITLE, admission.sentence);
      return message === undefined ? formFor(scene) : formAbout(admission, message);
    },
  });
}

/** @param agent the preselected agent */
export async function formFor({ deps, workspace, by }: Scene, agent?: string) {
  const preference = await deps.preferences.of(workspace.tenant, by.user);
  const initial = agent === undefined ? preference.agent : agentName(agent);
  return askForm({ agents: deps.host.agents(), initial });
}

async function formAbout(scene: Admitted, message: SlackMessage) {
  const { deps, workspace, by } = scene;
  const quote = await quoteOf(scene, message);
  const { conversation, conversationType, ts, threadTs } = message;
  const about: About = {
    conversation,
    ts,
    quote,
    ...(conversationType !== undefined && { conversationType }),
    ...(threadTs !== undefined && { threadTs }),
    ...(by.responseUrl !== undefined && { responseUrl: by.responseUrl }),
  };
  const key = by.trigger ?? ts;
  await deps.host.secrets.set(keyOf(workspace.tenant, by.user, key), about, FORM_MS);
  const agents = deps.host.agents();
  return askForm({ agents, question: words.aboutThis, about: quote, metadata: key });
}

async function quoteOf({ deps, workspace }: Scene, message: SlackMessage): Promise<Quote> {
  const { user, bot } = message;
  const author =
    user === undefined
      ? undefined
      : await deps.people.find(workspace, user, deps.signal).catch(() => undefined);
  const files = message.files.map(({ name }) => `(shared the file ${name})`);
  const said = [messageMarkdown(message), ...files].filter((each) => each !== '').join('\n');
  const quoted = said.slice(0, QUOTE_CHARS).replace(/[\ud800-\udbff]$/, '');
  return { author: author?.name ?? user ?? bot ?? 'somebody', text: quoted };
}

/** Asks the question of a sent form. The form is already closed, so results are told outside it. */
export async function askFromForm(scene: Scene, view: SlackView): Promise<void> {
  const { deps, workspace, by } = scene;
  const filled = readAskForm(view, deps.host.agents());
  const admission = await admit(scene);
  if (admission.kind === 'refused') return void (await tell(scene, admission.sentence));
  if (view.metadata === '') return askDirectly(admission, { ...filled, act: view.id });
  const about = await takeAbout(deps.host.secrets, keyOf(workspace.tenant, by.user, view.metadata));
  if (about === undefined) return askDirectly(admission, { ...filled, act: view.id });
  await askAbout({ ...admission, ...placeOf(about) }, about, { ...filled, act: view.id });
}

function placeOf({ conversation, ts, threadTs, responseUrl }: About) {
  return { conversation, threadTs: threadTs ?? ts, ...(responseUrl !== undefined && { responseUrl }) };
}

/** Asks in the message's thread, or privately if the app is not a member of the channel. */
async function askAbout(
  scene: Admitted & { readonly threadTs: string; readonly responseUrl?: string },
  about: About,
  { question, agent, act }: Filled & { readonly act: string },
): Promise<void> {
  const { deps, workspace, person, responseUrl } = scene;
  const by = responseUrl === undefined ? scene.by : { ...scene.by, responseUrl };
  const origin = { kind: 'act', key: act } as const;
  const ts = (deps.host.clock.now() / 1_000).toFixed(6);
  const asked = { text: question, agent, quoted: [about.quote], ts };
  if (await isInside(scene)) {
    const thread = threadOf(about, workspace);
    const message = actMessage(scene, { ...asked, thread });
    const said = words.askedAbout(nameOf(person.id));
    await takeIn({ ...scene, by }, () => askInPublic(scene, { origin, message, said }));
    return;
  }
  const thread = privateThread({ tenant: workspace.tenant, room: about.conversation, user: person.id, act });
  await deps.places.keep(thread, {
    user: person.id,
    ...(responseUrl !== undefined && { responseUrl }),
  });
  const message = actMessage(scene, { ...asked, thread });
  const work = () => deps.host.intake({ kind: 'ask', origin, message });
  const isTaken = await takeIn({ ...scene, by }, work);
  if (isTaken) await tell({ ...scene, by }, words.asking(agent));
}

/** Posts an ephemeral note to find out: Slack accepts it only where the app is a member. */
async function isInside({ deps, workspace, person, conversation, threadTs }: Admitted): Promise<boolean> {
  const note = {
    channel: conversation,
    user: person.id,
    text: words.askingInThread,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  };
  return (await deps.calls.call(workspace, 'chat.postEphemeral', note)).ok;
}

async function takeAbout(secrets: Keyed, key: string): Promise<About | undefined> {
  const kept = await secrets.get(key);
  await secrets.delete(key);
  const { quote, conversation, ts, threadTs, conversationType, responseUrl } = plain(kept);
  if (!isPlain(quote) || typeof conversation !== 'string' || typeof ts !== 'string') return undefined;
  return {
    conversation,
    ts,
    quote: { author: text(quote.author) ?? 'somebody', text: text(quote.text) ?? '' },
    ...(typeof threadTs === 'string' && { threadTs }),
    ...(typeof conversationType === 'string' && { conversationType }),
    ...(typeof responseUrl === 'string' && { responseUrl }),
  };
}

/** Asks in the app's direct message; posting the question to the person opens it. */
async function askDirectly(
  scene: Admitted,
  { question, agent, act }: Filled & { readonly act: string },
): Promise<void> {
  const { deps, workspace, person } = scene;
  const posted = await deps.calls.call(workspace, 'chat.postMessage', {
    channel: person.id,
    ...actPost(words.asked(nameOf(person.id)), question),
  });
  const room = posted.ok ? text(posted.answer.channel) : undefined;
  const ts = posted.ok ? text(posted.answer.ts) : undefined;
  if (room === undefined || ts === undefined) return void (await tell(scene, words.trouble));
  const thread = threadAt(workspace, { room, key: ts, kind: 'direct' });
  const chosen = agent ?? (await deps.preferences.of(workspace.tenant, person.id)).agent;
  const message = actMessage(scene, { thread, text: question, agent: chosen, ts });
  const there = { ...scene, conversation: room, threadTs: ts };
  await takeIn(there, () => deps.host.intake({ kind: 'ask', origin: { kind: 'act', key: act }, message }));
}
