/** Tests how the fake Teams checks a message's content: size, entities, citations, mentions, cards and suggestions. */

import { describe, expect, test } from 'vitest';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { fakeTeams, send } from './wire.ts';

const root = (more: object = {}) => ({
  type: 'https://schema.org/Message',
  '@type': 'Message',
  '@context': 'https://schema.org',
  additionalType: ['AIGeneratedContent'],
  ...more,
});
const citation = (position: number, appearance: object = {}) => ({
  '@type': 'Claim',
  position,
  appearance: { '@type': 'DigitalDocument', name: 'Handbook', ...appearance },
});
const cited = (...citations: object[]) => ({
  text: 'As said [1].',
  entities: [root({ citation: citations })],
});
const carded = (card: object) => ({
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: card }],
});
const cardOf = (...body: object[]) => carded({ type: 'AdaptiveCard', version: '1.5', body });
const acting = (...actions: object[]) => carded({ type: 'AdaptiveCard', version: '1.5', body: [], actions });
const press = { type: 'Action.Execute', title: 'Go', verb: 'go', data: { id: 'mine' } };

async function sent(activity: object) {
  const fake = await fakeTeams({ clock: createVirtualClock() });
  const tenant = fake.tenant();
  const person = tenant.person({ name: 'Engineer', aadObjectId: 'engineer', id: '29:engineer' });
  const answer = await send(fake, person.dm(), activity);
  return { ...answer, violations: fake.log.violations.flatMap(({ messages }) => messages) };
}

const table = {
  type: 'Table',
  columns: [{ width: 1 }, { width: 1 }],
  rows: [
    {
      type: 'TableRow',
      cells: [
        { type: 'TableCell', items: [{ type: 'TextBlock', text: 'a' }] },
        { type: 'TableCell', items: [{ type: 'TextBlock', text: 'b', weight: 'Bolder', wrap: true }] },
      ],
    },
  ],
};

describe('accepts', () => {
  test.each([
    [
      'a citation in full',
      cited(
        citation(1, {
          abstract: 'x'.repeat(160),
          url: 'https://example.com/a',
          keywords: ['a', 'b', 'c'],
          image: { '@type': 'ImageObject', name: 'PDF' },
        }),
      ),
    ],
    [
      'a mention',
      {
        text: '<at>Engineer</at> look',
        entities: [
          { type: 'mention', text: '<at>Engineer</at>', mentioned: { id: '29:engineer', name: 'Engineer' } },
        ],
      },
    ],
    ['a table', cardOf(table)],
    [
      'columns, pictures and buttons',
      cardOf(
        {
          type: 'ColumnSet',
          columns: [
            {
              type: 'Column',
              width: 'auto',
              items: [{ type: 'Image', url: 'https://example.com/a.png', altText: 'a' }],
            },
            { width: 'stretch', items: [] },
          ],
        },
        { type: 'Container', style: 'emphasis', items: [{ type: 'TextBlock', text: 'x' }] },
        {
          type: 'ActionSet',
          actions: [press, { type: 'Action.OpenUrl', title: 'Open', url: 'https://example.com' }],
        },
      ),
    ],
    [
      'a form in a card that opens',
      acting({
        type: 'Action.ShowCard',
        title: 'More',
        card: {
          type: 'AdaptiveCard',
          body: [
            { type: 'Input.Text', id: 'words', isMultiline: true },
            { type: 'Input.ChoiceSet', id: 'which', choices: [{ title: 'A', value: 'a' }] },
          ],
          actions: [{ type: 'Action.Submit', title: 'Send' }],
        },
      }),
    ],
    [
      'an inline picture of any size',
      {
        attachments: [
          { contentType: 'image/png', contentUrl: `data:image/png;base64,${'A'.repeat(200_000)}` },
        ],
      },
    ],
    [
      'feedback and three suggestions',
      {
        channelData: { feedbackLoop: { type: 'custom' } },
        suggestedActions: {
          actions: ['a', 'b', 'c'].map((title) => ({ type: 'imBack', title, value: title })),
        },
      },
    ],
  ])('%s', async (_, activity) => {
    expect(await sent(activity)).toMatchObject({ status: 201, violations: [] });
  });
});

describe('refuses', () => {
  test.each([
    ['a message over 100 KB of UTF-16', { text: 'x'.repeat(51_201) }, 413, 'Message size too large'],
    ['an empty message', { text: '  ' }, 400, 'neither text nor attachments'],
    ['an event', { type: 'event' }, 400, 'cannot be sent'],
    ['a format of its own', { textFormat: 'html' }, 400, 'textFormat'],
    ['two root entities', { entities: [root(), root()] }, 400, 'Multiple root message entities'],
    [
      'a root entity without a context',
      { entities: [root({ '@context': undefined })] },
      400,
      'Error parsing message entity',
    ],
    [
      'an unknown label',
      { entities: [root({ additionalType: ['Human'] })] },
      400,
      'Error parsing message entity',
    ],
    [
      'a label that is not a list',
      { entities: [root({ additionalType: 'AIGeneratedContent' })] },
      400,
      'Error parsing message entity',
    ],
    [
      'a sensitivity without a name',
      { entities: [root({ usageInfo: { '@type': 'CreativeWork' } })] },
      400,
      'Error parsing message entity',
    ],
    [
      '21 citations',
      cited(...Array.from({ length: 21 }, (_, nth) => citation(nth + 1))),
      400,
      'more than 20 citations',
    ],
    ['a citation from 0', cited(citation(0)), 400, 'citation entity with ID: 0'],
    ['a citation twice', cited(citation(1), citation(1)), 400, 'citation entity with ID: 1'],
    [
      'a citation without an appearance',
      cited({ '@type': 'Claim', position: 1, appearance: {} }),
      400,
      '`appearance` object is empty',
    ],
    ['a long name', cited(citation(1, { name: 'x'.repeat(81) })), 400, 'longer than 80'],
    ['no name', cited(citation(1, { name: undefined })), 400, 'name is missing'],
    ['a long abstract', cited(citation(1, { abstract: 'x'.repeat(161) })), 400, 'longer than 160'],
    ['four keywords', cited(citation(1, { keywords: ['a', 'b', 'c', 'd'] })), 400, 'keywords'],
    ['a long keyword', cited(citation(1, { keywords: ['x'.repeat(29)] })), 400, 'keywords'],
    [
      'a source with an unsafe address',
      cited(citation(1, { url: 'javascript:alert(1)' })),
      400,
      'no address',
    ],
    [
      'an unknown icon',
      cited(citation(1, { image: { '@type': 'ImageObject', name: 'Cat' } })),
      400,
      'none of the icons',
    ],
    [
      'a card with buttons in a citation',
      cited(
        citation(1, {
          encodingFormat: 'application/vnd.microsoft.card.adaptive',
          text: JSON.stringify({ type: 'AdaptiveCard', version: '1.5', actions: [press] }),
        }),
      ),
      400,
      'something to press',
    ],
    [
      'a mention that is not in the text',
      {
        entities: [
          { type: 'mention', text: '<at>Engineer</at>', mentioned: { id: '29:engineer', name: 'Engineer' } },
        ],
      },
      400,
      'not in the text',
    ],
    [
      'a mention of an unknown person',
      {
        text: '<at>X</at>',
        entities: [{ type: 'mention', text: '<at>X</at>', mentioned: { id: '29:x', name: 'X' } }],
      },
      400,
      'Nobody',
    ],
    ['feedback of its own', { channelData: { feedbackLoop: { type: 'mine' } } }, 400, 'feedbackLoop'],
    ['eleven attachments', { attachments: Array(11).fill({}) }, 400, 'More than 10'],
    [
      'a file',
      { attachments: [{ contentType: 'application/pdf', contentUrl: 'https://example.com/a.pdf' }] },
      400,
      'not taken',
    ],
    [
      'a picture with an http address',
      { attachments: [{ contentType: 'image/png', contentUrl: 'http://example.com/a.png' }] },
      400,
      'no address',
    ],
    [
      'a card of a newer version',
      carded({ type: 'AdaptiveCard', version: '1.6', body: [] }),
      400,
      'card.version',
    ],
    [
      'a button of 1.4 in a card of 1.3',
      carded({ type: 'AdaptiveCard', version: '1.3', actions: [press] }),
      400,
      'need 1.4',
    ],
    [
      'a drawing',
      cardOf({ type: 'Image', url: 'data:image/svg+xml;base64,AAAA' }),
      400,
      'url: must be https',
    ],
    ['a card without a version', carded({ type: 'AdaptiveCard', body: [] }), 400, 'card.version'],
    ['an element of its own', cardOf({ type: 'Chart' }), 400, 'card.body[0]: Chart'],
    [
      'an unknown property',
      cardOf({ type: 'TextBlock', text: 'x', colour: 'red' }),
      400,
      'colour: is not known',
    ],
    ['an unknown size', cardOf({ type: 'TextBlock', text: 'x', size: 'huge' }), 400, 'size: must be one of'],
    ['a text block without a text', cardOf({ type: 'TextBlock' }), 400, 'text: is missing'],
    ['a picture from a file', cardOf({ type: 'Image', url: 'file:///a.png' }), 400, 'url: must be https'],
    ['an uneven table', cardOf({ ...table, columns: [{ width: 1 }] }), 400, 'cells: must be 1'],
    [
      'a body that is not a list',
      carded({ type: 'AdaptiveCard', version: '1.5', body: {} }),
      400,
      'card.body: must be a list',
    ],
    [
      'a button that opens a script',
      acting({ type: 'Action.OpenUrl', title: 'x', url: 'javascript:alert(1)' }),
      400,
      'url: must be an address',
    ],
    ['a button without a title', acting({ type: 'Action.Execute', verb: 'go' }), 400, 'title: is missing'],
    ['seven buttons', acting(...Array(7).fill(press)), 400, 'more than 6'],
    [
      'a duplicate id',
      cardOf({ type: 'Input.Text', id: 'a' }, { type: 'Input.Text', id: 'a' }),
      400,
      'the id a',
    ],
    [
      'a refresh without an action',
      carded({ type: 'AdaptiveCard', version: '1.5', refresh: { action: { type: 'Action.Submit' } } }),
      400,
      'refresh.action',
    ],
    [
      'a refresh for 61 people',
      carded({
        type: 'AdaptiveCard',
        version: '1.5',
        refresh: { action: press, userIds: Array(61).fill('29:x') },
      }),
      400,
      'userIds',
    ],
  ])('%s', async (_, activity, status, message) => {
    expect(await sent(activity)).toMatchObject({ status, message: expect.stringContaining(message) });
  });
});

describe('accepts, and records as a violation,', () => {
  test.each([
    ['an unknown member', { marker: 'x' }, 'no member marker'],
    ['an unknown entity', { entities: [{ type: 'clientInfo' }] }, 'no entity clientInfo'],
    ['a mention without an entity', { text: 'Hey <at>everybody</at>' }, 'without an entity'],
    ['a citation without a mark', { ...cited(citation(2)) }, 'no [2] in the text'],
    [
      'a fourth suggestion',
      { suggestedActions: { actions: Array(4).fill({ type: 'imBack', title: 'a', value: 'a' }) } },
      'first 3',
    ],
    [
      'suggestions beside a card',
      { ...cardOf(), suggestedActions: { actions: [{ type: 'imBack', title: 'a', value: 'a' }] } },
      'beside attachments',
    ],
    ['another sender', { from: { id: '28:other' } }, 'from is not the app'],
  ])('%s', async (_, activity, message) => {
    const { status, violations } = await sent(activity);
    expect(status).toBe(201);
    expect(violations).toEqual([expect.stringContaining(message)]);
  });
});

describe('sign-in cards', () => {
  const content = {
    text: 'Please sign in',
    connectionName: '',
    tokenExchangeResource: { id: 'x', uri: 'api://botid-x' },
    buttons: [{ type: 'signin', title: 'Sign in', value: 'https://parley.example.org/sign-in' }],
  };
  const signing = (over: object = {}) => ({
    attachments: [{ contentType: 'application/vnd.microsoft.card.oauth', content: { ...content, ...over } }],
  });

  test('are taken in a personal chat', async () => {
    expect(await sent(signing())).toMatchObject({ status: 201, violations: [] });
  });

  test.each([
    [{ tokenExchangeResource: { id: 'x', uri: 'api://botid-x', providerId: null } }],
    [{ tokenExchangeResource: null }],
    [{ tokenExchangeResource: { uri: 'api://botid-x' } }],
    [{ connectionName: null }],
    [{ title: 'Sign in' }],
    [{ buttons: [] }],
    [{ buttons: [{ type: 'signin', title: 'Sign in', value: 'http://parley.example.org' }] }],
    [{ buttons: [{ type: 'openUrl', title: 'Sign in', value: 'https://parley.example.org' }] }],
  ])('are refused with %j', async (over) => {
    expect((await sent(signing(over))).status).toBe(400);
  });

  test('are refused in a group chat', async () => {
    const fake = await fakeTeams({ clock: createVirtualClock() });
    const tenant = fake.tenant();
    const chat = tenant.chat({ members: [tenant.person()] });
    expect((await send(fake, chat, { ...signing() })).status).toBe(400);
  });
});
