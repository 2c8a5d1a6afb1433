/**
 * Tests that forms, Home tabs and posts keep Slack's limits and contain no active content, for any text of agents,
 * documents and people.
 */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askForm } from '../../../../adapters/slack/interactions/ask-form.ts';
import { actPost } from '../../../../adapters/slack/interactions/asking.ts';
import { feedbackForm } from '../../../../adapters/slack/interactions/feedback.ts';
import { homeView } from '../../../../adapters/slack/interactions/home.ts';
import { shareForm } from '../../../../adapters/slack/interactions/share.ts';
import { answerPosts, sourcePost } from '../../../../adapters/slack/interactions/share-posts.ts';
import { sourcesView } from '../../../../adapters/slack/interactions/sources.ts';
import { actionValue } from '../../../../adapters/slack/render/actions.ts';
import { home, notice, paragraph } from '../../../../adapters/slack/render/blocks.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { agentName } from '../../../../src/kit/ladder.ts';
import { sourcesOf } from '../../../../src/kit/sources.ts';
import { type ReplyDocument, type Source, turnId } from '../../../../src/kit.ts';
import { message, thread, turn } from '../../../fakes/samples.ts';
import type { Call } from '../../../fakes/slack/call.ts';
import { checkBlocks, checkView } from '../../../fakes/slack/checks/blocks.ts';
import { liveControls } from '../../../fakes/slack/visible/live.ts';
import { addWorkspace, createWorld } from '../../../fakes/slack/world.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { webAddress } from '../../reply/markdown/documents.ts';
import { anything } from '../../reply/markdown/hostile.ts';
import { documentOf, TURN } from './rig.ts';

const world = createWorld(createVirtualClock());
const workspace = addWorkspace(world);
const call = { method: 'views.open', args: {}, world, url: '', workspace } as unknown as Call;

const reply = {
  turn: TURN,
  question: 'C0123456789/1793491200.000100',
  room: 'C0123456789',
  key: '1793491200.000100',
  kind: 'room',
} as const;
const inPrivate = { ...reply, key: 'private-12345.67890.abcdef', kind: 'direct' } as const;

const hostile = fc.oneof(
  anything,
  anything.map((text) => text.repeat(40).slice(0, 9_000)),
  fc.constantFrom('', ' ', '\n\n', '\u0000'),
);
const links = fc.option(fc.oneof(webAddress, hostile, fc.constantFrom('javascript:alert(1)', 'data:x')), {
  nil: undefined,
});

const source: fc.Arbitrary<Source> = fc
  .record({
    key: fc.uuid(),
    title: hostile,
    link: links,
    score: fc.option(fc.double(), { nil: undefined }),
    fragments: fc.array(fc.record({ text: hostile, score: fc.option(fc.double(), { nil: undefined }) }), {
      maxLength: 12,
    }),
  })
  .map(({ key, title, link, score, fragments }) => ({
    key,
    title,
    kind: 'document' as const,
    ...(link !== undefined && { link }),
    ...(score !== undefined && { score }),
    fragments: fragments.map((each) => ({
      text: each.text,
      ...(each.score !== undefined && { score: each.score }),
    })),
  }));

const documents: fc.Arbitrary<ReplyDocument> = fc
  .record({ text: hostile, sources: fc.array(source, { minLength: 1, maxLength: 120 }), agent: hostile })
  .map(({ text, sources, agent }) => documentOf({ text, sources, agent: agentName(agent) }));

const cards = fc.array(
  fc.record({ name: hostile.map(agentName), description: hostile, seesImages: fc.boolean() }),
  {
    maxLength: 130,
  },
);

/** Agents with names short enough for an option's value; the configuration refuses longer names. */
const named = cards.map((all) =>
  all.flatMap((each, at) => ({
    ...each,
    name: agentName(`${[...each.name].slice(0, 20).join('')}${at}`.slice(0, 75)),
  })),
);

const holds = (view: object, own: readonly string[] = []): void => {
  checkView(call, JSON.parse(JSON.stringify(view)) as Plain);
  stays({ view: view as Plain }, own);
};

/** Expects no active content except the app's own mentions, and links to safe addresses. */
const stays = (payload: Plain, own: readonly string[] = []): void => {
  const live = liveControls(payload).filter(({ target }) => !own.includes(target));
  expect(live.filter(({ kind, target }) => kind !== 'link' || !/^(https?|mailto):/.test(target))).toEqual([]);
};

it('shows all sources on pages within the limits', () => {
  fc.assert(
    fc.property(documents, fc.integer({ min: -3, max: 40 }), (document, page) => {
      holds(sourcesView(sourcesOf(document), reply, page));
    }),
    { numRuns: 60 },
  );
});

it('offers hostile sources and answers for sharing', () => {
  fc.assert(
    fc.property(documents, fc.string(), (document, detail) => {
      holds(shareForm(document, { reply, detail }, actionValue(reply, detail)));
      holds(shareForm(document, { reply: inPrivate, detail: '' }, actionValue(inPrivate)));
    }),
    { numRuns: 60 },
  );
});

it('posts hostile sources, questions and answers on behalf of a person, without a mention of others', () => {
  fc.assert(
    fc.property(documents, hostile, (document, question) => {
      const [first] = sourcesOf(document);
      const posts = [
        ...(first === undefined ? [] : [sourcePost(first, { by: 'U0ASKER', agent: document.agent }).args]),
        ...answerPosts({ ...document, question }, { by: 'U0ASKER' }).map(({ args }) => args),
        actPost('<@U0ASKER> asks:', question),
      ];
      for (const args of posts) {
        const { text, blocks } = args as { text: string; blocks: Plain[] };
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
        expect(text.trim()).not.toBe('');
        expect(JSON.stringify(blocks).length).toBeLessThan(100_000);
        stays(JSON.parse(JSON.stringify(args)) as Plain, ['U0ASKER']);
        if (!/\|[ \t]*:?-/.test(JSON.stringify(blocks)))
          checkBlocks(call, JSON.parse(JSON.stringify(blocks)), 'message');
      }
    }),
    { numRuns: 60 },
  );
});

it('fits agents with any name and description into the home and the form', () => {
  fc.assert(
    fc.property(named, hostile, hostile, (agents, question, author) => {
      const place = { room: 'C0123456789', key: '1.2', kind: 'room' as const };
      const running = agents
        .slice(0, 20)
        .map(({ name }, at) =>
          turn({ id: turnId(`turn-${at}`), message: message({ thread: thread(place) }), agent: name }),
        );
      holds(homeView({ agents, running, preference: {}, command: '/ask', name: 'Parley' }), ['C0123456789']);
      const about = { author, text: question };
      holds(askForm({ agents, question: 'Please explain this message.', about, metadata: '1234.5678.abcd' }));
      holds(notice('Share', question));
      holds(home([paragraph(question)]));
    }),
    { numRuns: 60 },
  );
});

it('keeps the feedback form within the limits', () => {
  holds(feedbackForm(actionValue(reply, 'down')));
});
