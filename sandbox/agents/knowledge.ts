import { mayUse } from '../fixtures.ts';
import {
  bestSections,
  enumerate,
  filled,
  list,
  phrases,
  quote,
  show,
  sourcesOf,
  type Writing,
  worthQuoting,
} from '../knowledge/answer.ts';
import { buildQuery, type Hit, type SearchScope, search } from '../knowledge/search.ts';
import { suggestionFrom, suggestionsNear } from '../knowledge/suggest.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Owner } from '../store/passages.ts';
import type { Source } from '../store/sessions.ts';
import { type Language, languageOf, languageOfTag, termsOf, wordsOf } from '../words/terms.ts';
import { type Agent, type AgentRequest, type Pace, type Piece, say } from './agent.ts';

/** A stored question-answer pair; `workspace` is an id. */
interface Pair {
  readonly workspace: string;
  readonly questions: readonly string[];
  readonly answer: string;
}

export interface KnowledgeDeps extends Pace {
  readonly documents: Documents;
  readonly workspaceIds: (names: readonly string[]) => readonly string[];
  /** Returns all stored question-answer pairs, oldest first. */
  readonly pairs: () => readonly Pair[];
  /** False until the first indexing has ended. */
  readonly ready: () => boolean;
  /** Compares a question with the questions that the project's pages answer; absent for agents with other documents. */
  readonly compare?: SearchScope['compare'];
}

/** Functions with which an agent chooses passages, and writes its answer from them. */
interface Style {
  readonly choose: (hits: readonly Hit[]) => readonly Hit[];
  readonly write: (hits: readonly Hit[], writing: Writing) => string;
}

/** Styles of agents: `knowledge` quotes passages, `guide` shows sections, and `kb-demo` lists passages. */
export const STYLES = {
  knowledge: { choose: worthQuoting, write: quote },
  guide: { choose: bestSections, write: show },
  'kb-demo': { choose: worthQuoting, write: enumerate },
} satisfies Record<string, Style>;

/** Number of passages that are found, titles that a greeting lists, and questions that are suggested. */
const HITS = 20;
const TITLES = 12;
const SUGGESTIONS = 3;

const GREETING =
  /^[\s¡]*(hi|hello|hey|good (morning|afternoon|evening)|hallo|moin|servus|guten (morgen|tag|abend)|bonjour|bonsoir|salut|hola|buenos días|buenas (tardes|noches)|你好|您好|早上好|こんにちは|おはよう(ございます)?|こんばんは)[\s!.,！。]*$/iu;
const THANKS =
  /^[\s¡]*(thanks|thank you|thx|cheers|danke|vielen dank|merci|(muchas )?gracias|谢谢|多谢|ありがとう)([\s!.,！。]|ございます|very much|so much|a lot|schön|sehr|beaucoup|bien|你|您)*$/iu;
const ABOUT_ITSELF =
  /\bwhat (can|do) you (do|know|answer)|what (documents|topics)|^\s*help\s*\??$|was kannst du|que peux-tu|qué puedes|你能(回答|做)什么|何ができ/i;

export const isGreeting = (question: string): boolean => GREETING.test(question);

/** Minimum fit of the listed questions, such as "How does it work?", for which such a question is no small talk. */
const LISTED = 1;

/** True for a greeting, a question about the agent, and a first question without a subject, such as "How are you?". */
const isSmallTalk = ({ question, history }: AgentRequest, { compare }: KnowledgeDeps): boolean =>
  isGreeting(question) ||
  ABOUT_ITSELF.test(question) ||
  (history.length === 0 && termsOf(question).length === 0 && (compare?.(question)[0]?.fit ?? 0) < LISTED);

/** Finds passages for a question. */
export const retrieve = (request: AgentRequest, deps: KnowledgeDeps): readonly Hit[] =>
  search(buildQuery(request.question, request.history), deps.documents, scopeOf(request, deps));

function scopeOf(request: AgentRequest, { workspaceIds, compare }: KnowledgeDeps): SearchScope {
  const { account, conduct } = request;
  const leavesOut = request.agent.leavesOut;
  const own = conduct?.workspaces;
  const workspaces = workspaceIds(request.workspaces);
  const mayRead = ({ document, workspace }: Owner): boolean =>
    mayUse(account, workspace) &&
    (own === undefined || own.includes(workspace)) &&
    (request.workspaces.length === 0 ? !leavesOut.includes(workspace) : workspaces.includes(workspace)) &&
    (request.documents.length === 0 || request.documents.includes(document));
  return { mayRead, limit: conduct?.fragments ?? HITS, leastScore: conduct?.leastScore ?? 0, compare };
}

/** Answers with passages of the documents (platform contract LOC-1: the agent `knowledge`). */
export function knowledgeAgent(deps: KnowledgeDeps, { choose, write }: Style): Agent {
  return async function* (request) {
    const started = deps.clock.now();
    const words = phrases(answerLanguage(request));
    if (THANKS.test(request.question)) {
      yield* say(words.thanks, request, deps);
      return;
    }
    if (isSmallTalk(request, deps)) {
      const titles = readableDocuments(request, deps)
        .slice(0, TITLES)
        .map(({ title }) => title);
      yield* say(`${words.greeting}\n\n${words.topics}\n\n${list(titles)}`, request, deps);
      yield openingQuestions(request, deps);
      return;
    }
    const paired = pairFor(request, deps);
    if (paired !== undefined) {
      yield {
        type: 'sources',
        sources: request.conduct?.showsReferences === false ? [] : [sourceOf(paired)],
      };
      yield* say(paired.answer, request, deps);
      return;
    }
    const found = retrieve(request, deps);
    yield* thoughts(request, found, deps.clock.now() - started);
    const hits = choose(found);
    const sources = sourcesOf(hits);
    yield { type: 'sources', sources };
    if (hits.length === 0) {
      yield* decline(request, deps);
      return;
    }
    if (request.retrievalOnly)
      yield { type: 'text', text: sources.map((source) => source.content).join('\n\n---\n\n') };
    else yield* say(write(hits, writingOf(request, deps)), request, deps);
    yield* suggestions(request, hits, deps);
  };
}

const writingOf = (request: AgentRequest, deps: KnowledgeDeps): Writing => ({
  question: request.question,
  language: answerLanguage(request),
  note: noteOf(request, deps),
  cites: request.conduct?.showsReferences !== false,
  base: request.base,
});

/**
 * Returns the newest question-answer pair that contains the question. Letter case and punctuation may differ (platform
 * contract QNA-3).
 */
function pairFor(request: AgentRequest, deps: KnowledgeDeps): Pair | undefined {
  const wanted = wordsOf(request.question).join(' ');
  const { mayRead } = scopeOf(request, deps);
  return deps
    .pairs()
    .findLast(
      ({ workspace, questions }) =>
        mayRead({ document: '', workspace }) &&
        questions.some((question) => wordsOf(question).join(' ') === wanted),
    );
}

/** Returns a pair as a source, which has no document. */
const sourceOf = ({ questions: [title = ''], answer: content }: Pair): Source => ({
  chunk: '0',
  document: '',
  title,
  content,
  score: 1,
});

/** Returns the requested language if the agent speaks it, else the language of the question. */
const answerLanguage = ({ chatLanguage, question }: AgentRequest): Language =>
  languageOfTag(chatLanguage) ?? languageOf(question);

/** Reports a search as one thought. */
export function* thoughts(request: AgentRequest, hits: readonly Hit[], tookMs: number): Iterable<Piece> {
  const words = phrases(languageOfTag(request.systemLanguage) ?? 'en');
  const elapsedTime = { model: 0, action: tookMs, total: tookMs };
  const documents = new Set(hits.map((hit) => hit.document.id)).size;
  const thought = filled(words.passages, { passages: hits.length, documents });
  yield { type: 'thought', thought: { pluginName: words.plugin, state: 'success', elapsedTime, thought } };
}

/** Says that no passage fits, and names questions that have an answer. */
async function* decline(request: AgentRequest, deps: KnowledgeDeps): AsyncIterable<Piece> {
  const words = phrases(answerLanguage(request));
  const opening = openingQuestions(request, deps);
  const isLimited = request.workspaces.length > 0 || request.documents.length > 0;
  const readsNone = readableDocuments(request, deps).length === 0 && !isLimited;
  if (!deps.ready()) yield* say(words.indexing, request, deps);
  else if (readsNone && hasUnreadableDocuments(request, deps)) yield* say(words.noDocuments, request, deps);
  else {
    const questions = opening.questions.length === 0 ? '' : `\n\n${words.try}\n\n${list(opening.questions)}`;
    yield* say(`${words.nothing}${noteOf(request, deps)}${questions}`, request, deps);
  }
  yield opening;
}

/** True if the agent has at least one document that the account may not read. */
const hasUnreadableDocuments = ({ account, agent }: AgentRequest, { documents }: KnowledgeDeps): boolean =>
  documents
    .list()
    .some(({ workspace }) => !agent.leavesOut.includes(workspace) && !mayUse(account, workspace));

function readableDocuments(request: AgentRequest, deps: KnowledgeDeps): readonly StoredDocument[] {
  const { mayRead } = scopeOf(request, deps);
  return deps.documents
    .list()
    .filter(({ id, workspace, state }) => state === 'success' && mayRead({ document: id, workspace }));
}

/** Maximum documents whose language is looked at. */
const SAMPLE = 50;

/** Returns a sentence about the language of the documents, if none is in the language of the question. */
function noteOf(request: AgentRequest, deps: KnowledgeDeps): string {
  const spoken = readableDocuments(request, deps)
    .slice(0, SAMPLE)
    .map(({ id }) => languageOf(deps.documents.firstChunkOf(id)?.text ?? ''));
  const [first] = spoken;
  if (first === undefined || spoken.includes(languageOf(request.question))) return '';
  const language = answerLanguage(request);
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(first) ?? first;
  return ` ${filled(phrases(language).foreign, { language: name })}`;
}

/** Suggests questions for the start of a conversation, from the documents that the account may read. */
export function openingQuestions(request: AgentRequest, deps: KnowledgeDeps) {
  const questions: string[] = [];
  for (const document of readableDocuments(request, deps)) {
    if (questions.length >= SUGGESTIONS) break;
    for (const chunk of deps.documents.chunksOf(document.id)) {
      const question = suggestionFrom({ chunk, document }, deps.documents, scopeOf(request, deps));
      if (question !== undefined) {
        questions.push(question);
        break;
      }
    }
  }
  return { type: 'suggestions', questions } as const;
}

/** Suggests questions about the sections near the best passage. */
export function* suggestions(
  request: AgentRequest,
  [best]: readonly Hit[],
  deps: KnowledgeDeps,
): Iterable<Piece> {
  if (best === undefined) return;
  const scope = scopeOf(request, deps);
  yield { type: 'suggestions', questions: suggestionsNear(best, deps.documents, scope, SUGGESTIONS) };
}
