/** Generates a long answer with every Markdown construct; the text is the same each time. */

const paragraph =
  'The storage keeps every item of a delivery in the place where it was put first, and asks for a second ' +
  'look [1] only when the count of the evening differs from that of the morning. ';

const blocks: readonly string[] = [
  '## What was found',
  paragraph.repeat(3),
  '- first **point** with `code`\n- second point, see [the page](https://docs.example/a)\n  - inside',
  `\`\`\`ts\n${'export const answer = compute(values, 42);\n'.repeat(20)}\`\`\``,
  `| Item | Count | Where |\n| --- | ---: | --- |\n${'| screws | 120 | hall 2 |\n'.repeat(25)}`,
  '> A quote of the manual, over\n> two lines.',
  paragraph.repeat(9),
  '1. one\n2. two\n3. three',
];

export function plausibleText(chars: number): string {
  let text = '';
  for (let at = 0; text.length < chars; at++) text += `${blocks[at % blocks.length]}\n\n`;
  return text.slice(0, chars);
}
