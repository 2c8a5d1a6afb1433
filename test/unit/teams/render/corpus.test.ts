import { describe, expect, it } from 'vitest';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { messageOf } from '../../../../adapters/teams/render/message.ts';
import type { ReplyDocument } from '../../../../src/kit.ts';
import { blank } from '../../reply/markdown/documents.ts';
import { examples, naughty } from '../../reply/markdown/hostile.ts';
import { context, expectSound, whole } from './messages.ts';

/** Examples of GitHub's extensions to CommonMark. */
const github = [
  '| pump | flow |\n| --- | --- |\n| A 100 | 12 |',
  'pump | flow (l)\n:-: | ---:\nA 100 | 12',
  '| a bar | b \\| c |\n| - | - |\n| `x \\| y` | **x \\| y** |',
  '| pump |\n| - |\n| A 100 |\n> quoted at once\n\nafter',
  '| pump |\n| - |\n| A 100 |\nwords at once',
  '| pump | flow |\n| - |\n| no table |',
  '| pump | flow |\n| - | - |\n| too few |\n| too | many | cells |',
  '| head | alone |\n| - | - |',
  '- [ ] open\n- [x] done\n  - [X] done inside',
  '~~gone~~ and ~not gone~\n\n~~gone over\n\na paragraph~~',
  'www.docs.example/help, https://docs.example/q?a=b+(c) and somebody@docs.example',
  '<title>x</title> <style>x</style> <xmp>x</xmp> <iframe src="https://evil.example/">',
];

const corpora = {
  'naughty strings': naughty,
  'examples of CommonMark': examples.map((example) => example.markdown),
  "examples of GitHub's dialect": github,
};

/** Returns a document with the text in every property that Teams shows. */
const everywhere = (text: string, state: ReplyDocument['state']): ReplyDocument => ({
  ...blank,
  state,
  text,
  steps: [{ id: '1', name: text, detail: text, state: 'running' }],
  media: [
    { id: 'm', kind: 'image', name: text, ref: { kind: 'file-id', id: '123456' } },
    { id: 'f', kind: 'file', name: text, ref: { kind: 'url', url: text }, link: text },
  ],
  sources: [{ key: 'k', title: text, kind: 'document', link: text, fragments: [{ text }] }],
  suggestions: [text],
  notices: [{ tone: 'warning', text }],
});

describe.each(Object.entries(corpora))('%s', (_, texts) => {
  it.each([
    'markdown',
    'extendedmarkdown',
  ] as const)('give valid messages in every place, in %s', (format) => {
    for (const text of texts) {
      const half = text.slice(0, text.length >> 1);
      expectSound(whole(everywhere(text, 'done'), { ...context, format, media: { m: { link: text } } }));
      expectSound(whole(everywhere(half, 'writing'), { ...context, format }));
      expectSound(whole({ ...blank, text: `| ${text} |\n| - |\n| ${half} |` }, { ...context, format }));
    }
  });

  it('are shown whole when split into small messages', () => {
    for (const text of texts) {
      const parts = emitterOf('markdown').ranges(text, 200);
      expect(parts.at(-1)?.to).toBe(text.length);
      for (const { begin, to } of parts)
        expectSound(
          messageOf({ document: { ...blank, text }, extent: { begin, to }, context, form: 'rich' }),
        );
    }
  });
});
