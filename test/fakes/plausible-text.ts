/**
 * Generates text from a seed. To a search index, it resembles real documents: words by Zipf's law, topics, headings,
 * lists, three languages.
 */

import { seeded } from './seeded.ts';

export type Random = () => number;

const GRAMMAR =
  'the of and to in a is that for it as was with be by on not at this are or from have an they which'.split(
    ' ',
  );
const STARTS = 'b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl sp st t th tr v w'.split(' ');
const VOWELS = 'a e i o u ai ea ou io ee'.split(' ');
const ENDS = ' l n r s t nd st ck rm ll ng pt'.split(' ');
const SUFFIXES = ['', '', '', '', 's', 'ed', 'ing', 'er', 'tion', 'ment', 'ly', 'al'];
const HAN = [
  ...'公司员工管理系统数据服务部门报告时间项目要求使用方法安全问题处理信息技术文件会议客户产品开发测试环境网络设备合同费用申请审批流程规定日期地点电话邮件办理条件标准质量检查培训计划目标市场销售财务人事行政法律责任权限登记记录保存删除备份恢复监控告警版本发布部署配置参数接口文档说明示例',
];
const KANA = [...'のをにはがともでしてるいうきくこさすせたちつなねまみむめもやゆよらりれろん'];
const KATAKANA = [...'アイウエオカキクケコサシスセソタチツテトナニヌネノマミムメモラリルレロン'];

const WORDS = 30_000;
const TOPICS = 400;
const WORDS_OF_TOPIC = 40;

export interface PlausibleDocument {
  readonly name: string;
  /** Content in Markdown. */
  readonly text: string;
}

/**
 * Generates an endless sequence of documents. Each document has one language, and each of its sections has one topic.
 */
export function* plausibleDocuments(seed: number): Generator<PlausibleDocument, never> {
  const random = seeded(seed);
  const vocabularies = [latinWords(random), hanWords(random), japaneseWords(random)] as const;
  for (let number = 1; ; number += 1) {
    const language = random() < 0.8 ? 0 : random() < 0.7 ? 1 : 2;
    const words = vocabularies[language];
    const sections = Array.from({ length: 4 + pick(8, random) }, () =>
      section(words, language === 0, random),
    );
    const title = topicWords(words, random)
      .slice(0, 3)
      .join(language === 0 ? ' ' : '');
    yield { name: `document-${number}.md`, text: `# ${title} ${number}\n\n${sections.join('\n\n')}\n` };
  }
}

const pick = (below: number, random: Random): number => Math.floor(random() * below);

/** Returns a random index by Zipf's law: low indexes are most frequent, and 0 occurs as often as 1 and 2 together. */
const zipf = (below: number, random: Random): number => Math.floor(below ** random()) - 1;

const of = <T>(list: readonly T[], random: Random): T | undefined => list[pick(list.length, random)];

function latinWords(random: Random): readonly string[] {
  const made = new Set(GRAMMAR);
  while (made.size < WORDS) {
    const syllables = Array.from(
      { length: 1 + pick(3, random) },
      () => `${of(STARTS, random)}${of(VOWELS, random)}${random() < 0.5 ? of(ENDS, random) : ''}`,
    );
    made.add(syllables.join('') + of(SUFFIXES, random));
  }
  return [...made];
}

const hanWords = (random: Random): readonly string[] =>
  Array.from({ length: 6_000 }, () => `${of(HAN, random)}${of(HAN, random)}`);

const japaneseWords = (random: Random): readonly string[] =>
  Array.from({ length: 6_000 }, (_, rank) => {
    const kana = rank % 3 === 0 ? KATAKANA : KANA;
    return rank % 3 === 2
      ? `${of(HAN, random)}${of(HAN, random)}`
      : Array.from({ length: 2 + pick(3, random) }, () => of(kana, random)).join('');
  });

const topicWords = (words: readonly string[], random: Random): readonly string[] => {
  const topic = pick(TOPICS, random);
  return Array.from(
    { length: WORDS_OF_TOPIC },
    (_, index) => words[(60 + topic * 61 + index * 7) % words.length] ?? '',
  ).sort(() => random() - 0.5);
};

function section(words: readonly string[], spaced: boolean, random: Random): string {
  const topic = topicWords(words, random);
  const word = (): string => (random() < 0.15 ? of(topic, random) : words[zipf(words.length, random)]) ?? '';
  const joined = (length: number): string => Array.from({ length }, word).join(spaced ? ' ' : '');
  const sentence = (): string => `${joined(6 + pick(14, random))}${spaced ? '.' : '。'}`;
  const paragraph = (): string =>
    Array.from({ length: 2 + pick(5, random) }, sentence).join(spaced ? ' ' : '');
  const list = (): string => Array.from({ length: 2 + pick(4, random) }, () => `- ${sentence()}`).join('\n');
  const blocks = Array.from({ length: 1 + pick(4, random) }, () => (random() < 0.2 ? list() : paragraph()));
  return `## ${topic.slice(0, 4).join(spaced ? ' ' : '')}\n\n${blocks.join('\n\n')}`;
}
