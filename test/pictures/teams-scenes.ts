/** The scenes of the documentation's pictures. Each is a message or a card that the render code creates. */

import { correctionForm } from '../../adapters/teams/render/correction-form.ts';
import { emitterOf } from '../../adapters/teams/render/emit.ts';
import { feedbackForm, noteCard } from '../../adapters/teams/render/forms.ts';
import { messageOf, PART_CHARS, type TeamsMessage } from '../../adapters/teams/render/message.ts';
import type { RenderContext } from '../../adapters/teams/render/render-context.ts';
import { answerPosts, shareForm, sourcePost } from '../../adapters/teams/render/share-posts.ts';
import { sourcesCard } from '../../adapters/teams/render/sources-card.ts';
import { type Plain, plain } from '../../src/kit/json.ts';
import { actionWords, agentName, type CorrectionForm } from '../../src/kit/ladder.ts';
import type { ReplyRef } from '../../src/kit/reply-ref.ts';
import { sourcesOf } from '../../src/kit/sources.ts';
import { type ReplyDocument, type Source, turnId } from '../../src/kit.ts';
import { blank } from '../unit/reply/markdown/documents.ts';
import { plausibleText } from '../unit/reply/markdown/long-text.ts';
import { cardOf, context, ofType, personal } from '../unit/teams/render/messages.ts';
import { lastOf } from '../unit/teams/render/recorded.ts';

export type Scene = { readonly message: TeamsMessage } | { readonly card: Plain };

const source = (mark: number, text: string): Source => ({
  key: `k${mark}`,
  title: `Manual, chapter ${mark}.pdf`,
  kind: 'document',
  mark,
  score: 0.93 - mark / 20,
  link: `https://docs.example/${mark}`,
  fragments: [
    { text, score: 0.87 },
    {
      text: '## Setting up\n\n1. Open the **case**\n2. Turn `A` to the left\n\n![123456](file_id:123456)',
      score: 0.61,
    },
  ],
});
const sources = [
  source(3, 'Rain falls mostly in spring.\n\n| City | Rain |\n| - | -: |\n| Berlin | 5 |\n| Rome | 2 |'),
  source(1, 'A longer passage that says what the chapter is about. '.repeat(8)),
];

const text = `## What the manual says

The pump runs **two hours** a day [3]; see the [overview](https://docs.example/overview).

- Check the valve
  - first the *left* one
- [x] Read the manual
- [ ] Call \`support\`

| Pump | Flow (l/min) | Noise | Remark |
| :--- | -----------: | :---: | ------ |
| A 100 | 12 | low | For small rooms [1] |
| A 200 | 24 | medium | Needs a **filter**, and a remark that is long enough to be wrapped in its cell |
| B 7 | 7 | high | \`legacy\` |

> Never run it dry.

\`\`\`ts
const flow = pumps.map((pump) => pump.flow);
\`\`\`

![Chart of the flow](file_id:m1)

---

That is all [1].`;

const media = [
  {
    id: 'm1',
    kind: 'image' as const,
    name: 'Chart of the flow',
    ref: { kind: 'file-id' as const, id: 'm1' },
  },
  {
    id: 'f1',
    kind: 'file' as const,
    name: 'plan.pdf',
    ref: { kind: 'file-id' as const, id: 'f1' },
    link: 'https://files.example/plan',
  },
];
const steps = [
  { id: '1', name: 'Search the manual', state: 'done' as const, elapsedMs: 1_240 },
  { id: '2', name: 'Open chapter 3', state: 'failed' as const, elapsedMs: 310 },
  { id: '3', name: 'Read the pages', state: 'running' as const },
];
const answer: ReplyDocument = { ...blank, text, media, sources, steps: steps.slice(0, 2) };
/** Address of an image that the page for the pictures serves. */
export const CHART = 'https://bridge.example/media/m1';
const places = { media: { m1: { link: CHART } } };
const reply: ReplyRef = { turn: turnId('turn-1'), ...context.reply };

const messageWhole = (document: ReplyDocument, how: RenderContext): TeamsMessage =>
  messageOf({ document, extent: { begin: { at: 0, fresh: true } }, context: how, form: 'rich' });
const whole = (document: ReplyDocument, how: RenderContext): Scene => ({
  message: messageWhole(document, how),
});
/** The card that the button for another agent opens under an answer. */
const anotherAgent = plain(ofType(cardOf(messageWhole(answer, context)), 'Action.ShowCard')[0]?.card);

/** Splits an answer that is too long for one message into messages, as the writer does. */
const inParts = (document: ReplyDocument): readonly TeamsMessage[] =>
  emitterOf('markdown')
    .ranges(document.text, PART_CHARS)
    .map(({ begin, to }, at, all) =>
      messageOf({
        document,
        extent: at === all.length - 1 ? { begin } : { begin, to },
        context,
        form: 'rich',
      }),
    );
const columns = Array.from({ length: 14 }, (_, at) => `Head ${at}`);
const wide: ReplyDocument = {
  ...blank,
  text: `| ${columns.join(' | ')} |\n|${' - |'.repeat(14)}\n${`|${' a value |'.repeat(14)}\n`.repeat(90)}`,
};
const long: ReplyDocument = { ...blank, text: plausibleText(26_000) };
const engineer = { by: 'Engineer', agent: agentName('knowledge') };
const shown = (name: string, messages: readonly TeamsMessage[]): Record<string, Scene> =>
  Object.fromEntries(messages.map((message, at) => [`${name}-${at + 1}`, { message }]));

/** The answer in the documentation's pictures. */
export const visitor: ReplyDocument = {
  ...blank,
  text: '**A visitor pass is valid for one working day, from 08:00 to 18:00.** [1]\n\nFor a workshop of several days ask reception for a week pass, which is valid for five working days. Passes must be given back at the desk when leaving. [1]',
  steps: [{ id: '1', name: 'Search the documents', state: 'done', elapsedMs: 115 }],
  sources: [
    { ...source(1, 'A pass is valid for one day.'), title: 'Badges and visitors: questions and answers' },
  ],
  suggestions: ['How do I get an employee badge?', 'I lost my badge. What now?'],
};

/** The form in which the documentation's answer is corrected. */
export const correction: CorrectionForm = {
  kind: 'form',
  question: 'How long is a visitor pass valid?',
  answer: visitor.text.replaceAll(' [1]', ''),
  told: [actionWords.storedIn('handbook', 'member-one'), actionWords.useOfPairs],
};

export const scenes: Readonly<Record<string, Scene>> = {
  visitor: whole(visitor, { ...context, offersAsSelf: true }),
  recorded: whole(lastOf('open-knowledge'), context),
  thinking: whole({ ...blank, state: 'thinking', steps }, context),
  growing: whole({ ...blank, state: 'writing', text: `${text.slice(0, 90)} and **half`, steps }, context),
  answer: whole(
    {
      ...answer,
      suggestions: [
        'How loud is the B 7?',
        'What does a filter cost, and where is it to be had at short notice?',
      ],
      editions: { shown: 2, count: 3 },
    },
    { ...context, ...places, offersAsSelf: true },
  ),
  extended: whole(answer, { ...context, ...places, format: 'extendedmarkdown' }),
  private: whole({ ...answer, steps: [] }, { ...personal, ...places, isPrivate: true }),
  failed: whole(
    {
      ...blank,
      state: 'failed',
      retry: true,
      notices: [{ tone: 'error', text: 'The agent broke off. Please try again in a minute.' }],
    },
    context,
  ),
  stopped: whole(
    {
      ...blank,
      text: 'The pump runs',
      state: 'stopped',
      retry: true,
      notices: [{ tone: 'info', text: 'Stopped. The text so far is kept.' }],
    },
    context,
  ),
  hostile: whole(
    {
      ...blank,
      text: 'Hey <at>Everyone</at>, see ![x](https://evil.example/i.png), [good.example](https://evil.example/) and\n\n| [good.example](https://evil.example/) | ![i](https://evil.example/i.png) |\n| - | - |\n| **[x](javascript:alert(1))** | <at>All</at> {{DATE(2017-02-14T06:08:39Z)}} |',
      steps: [{ id: '1', name: '[link](https://evil.example/) **bold**', state: 'done' }],
      suggestions: ['<at>All</at> [x](https://evil.example/)'],
    },
    context,
  ),
  ...shown('wide', inParts(wide)),
  ...shown('long', inParts(long)),
  sources: { card: sourcesCard(sourcesOf(answer), reply, 0) },
  ...shown(
    'shared-source',
    sourcesOf(answer)
      .map((each) => sourcePost(each, engineer))
      .slice(0, 1),
  ),
  ...shown(
    'shared-answer',
    answerPosts(
      answer,
      { ...engineer, question: 'How does the pump run?' },
      { format: 'markdown', media: {} },
    ),
  ),
  'share-form': {
    card: shareForm([{ id: 'here', name: 'This conversation' }], { kind: 'shareSource', reply, detail: '1' }),
  },
  correction: { card: correctionForm(correction, reply) },
  feedback: { card: feedbackForm('down') },
  'ask-another': { card: anotherAgent },
  note: { card: noteCard('This answer is older than what is kept for its buttons. Please ask again.') },
};
