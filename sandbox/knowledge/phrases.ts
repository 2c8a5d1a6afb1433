import type { Language } from '../words/terms.ts';

/** Sentences of the agent itself, in one language. */
interface Phrases {
  from(heading: string): string;
  nothing(titles: readonly string[]): string;
  readonly noDocuments: string;
  greeting(titles: readonly string[]): string;
  readonly indexing: string;
  readonly withoutDocuments: string;
  suggestion(heading: string): string;
  readonly plugin: string;
  found(passages: number, documents: number): string;
}

const list = (titles: readonly string[]): string => titles.map((title) => `- ${title}`).join('\n');

const topics = (lead: string, titles: readonly string[]): string =>
  titles.length === 0 ? '' : `\n\n${lead}\n\n${list(titles)}`;

const PHRASES: Readonly<Record<Language, Phrases>> = {
  en: {
    from: (heading) => `From **${heading}**`,
    nothing: (titles) =>
      `I found nothing about that in the documents I can read, so I would rather not guess.${topics('I can answer questions about:', titles)}`,
    noDocuments:
      'Your account may not read any of my documents, so I cannot answer that. Ask in a room, where I may read them for everyone, or ask the operator of the platform for access.',
    greeting: (titles) =>
      `Hello! Ask me anything about the documents I can read; I answer with sources.\n\nI know about:\n\n${list(titles)}`,
    indexing: 'The documents are still being read. Please ask again in a moment.',
    withoutDocuments: 'I have no documents to answer from, so I can only repeat your question:',
    suggestion: englishQuestion,
    plugin: 'Document search',
    found: (passages, documents) => `Found ${count(passages, 'passage')} in ${count(documents, 'document')}`,
  },
  zh: {
    from: (heading) => `来自**${heading}**`,
    nothing: (titles) =>
      `在我能读到的文档里没有找到相关内容，我不想猜测。${topics('我可以回答关于以下文档的问题：', titles)}`,
    noDocuments: '您的账号无权阅读我的任何文档，因此我无法回答。请在频道中提问，或向平台管理员申请权限。',
    greeting: (titles) => `您好！您可以向我询问这些文档的内容，我会附上来源：\n\n${list(titles)}`,
    indexing: '文档仍在读取中，请稍后再问。',
    withoutDocuments: '我没有可以依据的文档，只能重复您的问题：',
    suggestion: (heading) => (/[?？]$/.test(heading) ? heading : `${heading}有哪些规定？`),
    plugin: '文档检索',
    found: (passages, documents) => `在 ${documents} 份文档中找到 ${passages} 个段落`,
  },
  ja: {
    from: (heading) => `**${heading}** より`,
    nothing: (titles) =>
      `読める文書の中に該当する内容が見つかりませんでした。${topics('次の文書についてお答えできます：', titles)}`,
    noDocuments:
      'お使いのアカウントでは文書を閲覧できないため、お答えできません。チャンネルで質問するか、プラットフォームの管理者に権限を依頼してください。',
    greeting: (titles) => `こんにちは。次の文書について、出典を付けてお答えします：\n\n${list(titles)}`,
    indexing: '文書を読み込み中です。少し待ってからもう一度お尋ねください。',
    withoutDocuments: 'もとになる文書がないため、ご質問を繰り返すことしかできません：',
    suggestion: (heading) => (/[?？]$/.test(heading) ? heading : `${heading}について教えてください`),
    plugin: '文書検索',
    found: (passages, documents) => `${documents} 件の文書から ${passages} 件の箇所が見つかりました`,
  },
};

export const phrases = (language: Language): Phrases => PHRASES[language];

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const STARTS_QUESTION =
  /^(?:who(?:se)?|how (?:do|does|can|long|much|many|often|is|are)|(?:what|which|why|where) (?:is|are|happens|do|does|can|may)|can|may|is|are|do|does|should|must)\b/i;
/**
 * Matches headings that are clauses, such as "What you can rely on". In a question, such a heading needs other words
 * around it.
 */
const STARTS_CLAUSE = /^(?:how|what|which|why|where)\b/i;
const STARTS_CONDITION = /^(?:when|if)\b/i;
const STARTS_BEFORE = /^before\b/i;
const STARTS_AFTER = /^(?:after|during)\b/i;
const STARTS_ASIDE = /^(?:in|with|without|from|at|on|for|under|around|by|as|of|to)\b/i;
/** Matches headings that are instructions, such as "Install the app". */
const STARTS_STEP =
  /^(?:add|ask|build|change|check|choose|configure|connect|create|deploy|follow|install|open|order|pull|run|send|set|share|start|stop|try|upload|use|write)\b/i;

/** Makes a question or a request from a heading. A heading that is a question or begins with "I" stays as it is. */
function englishQuestion(heading: string): string {
  if (/[?？]$/.test(heading) || /^I\b/.test(heading)) return heading;
  if (STARTS_QUESTION.test(heading)) return `${heading}?`;
  const told = lowered(heading)
    .replace(/\byour\b/g, 'my')
    .replace(/\byou\b/g, 'I');
  if (/^how to\b/i.test(told)) return `How do I${told.slice('how to'.length)}?`;
  if (STARTS_CLAUSE.test(heading)) return `Tell me ${told}`;
  if (STARTS_CONDITION.test(heading)) return `What should I do ${told}?`;
  if (STARTS_BEFORE.test(heading)) return `What should I know ${told}?`;
  if (STARTS_AFTER.test(heading)) return `What happens ${told}?`;
  if (STARTS_ASIDE.test(heading)) return `How does it work ${told}?`;
  if (STARTS_STEP.test(heading)) return `How do I ${told.charAt(0).toLowerCase()}${told.slice(1)}?`;
  return `Tell me about ${SINGULAR.test(heading) ? 'the ' : ''}${told}`;
}

/** Matches headings that need "the" in a sentence, because they name a single thing, such as "Console". */
const SINGULAR =
  /^(?!(?:an?|the|my|your)\b)(?:[\w-]+ )?(?:alarm|app|area|card|console|container|log|plan|platform|sandbox)$/i;

const NAME = /^(?:Slack|Teams|Microsoft|Parley|Docker|Node)\b/;

/**
 * Returns a heading for use inside a sentence: with its first letter in lower case, unless the heading begins with a
 * name or an abbreviation.
 */
function lowered(heading: string): string {
  const [first = '', second = ''] = heading.split(' ', 2);
  const opens = /^(?:In|With|From|When|If|Before|After|At|On|For|Under|As|Of|To|By)$/.test(first);
  const isName = NAME.test(heading) || first.endsWith(':') || (/^[A-Z]/.test(second) && !opens);
  const isWord = /^(?:A|[A-Z][a-z]+)$/.test(first.replace(/[,;]$/, ''));
  return isWord && !isName ? heading.charAt(0).toLowerCase() + heading.slice(1) : heading;
}
