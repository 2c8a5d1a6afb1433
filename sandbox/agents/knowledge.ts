import { mayUse } from '../fixtures.ts';
import { compose } from '../knowledge/answer.ts';
import { phrases } from '../knowledge/phrases.ts';
import { buildQuery, type Hit, type SearchScope, search, weigh } from '../knowledge/search.ts';
import { suggestionsFor } from '../knowledge/suggest.ts';
import type { Owner } from '../search/passage-index.ts';
import type { Indexes } from '../search/retrieve.ts';
import type { StoredDocument } from '../store/documents.ts';
import type { Source } from '../store/sessions.ts';
import { type Language, languageOf, languageOfTag, termsOf } from '../words/terms.ts';
import { type Agent, type Asked, type Pace, type Piece, say } from './agent.ts';

/** A stored question-answer pair; `workspace` is an id. */
interface Pair {
  readonly workspace: string;
  readonly questions: readonly string[];
  readonly answer: string;
}

export interface KnowledgeDeps extends Pace {
  readonly indexes: Indexes;
  readonly workspaceIds: (names: readonly string[]) => readonly string[];
  /** Returns all stored question-answer pairs, oldest first. */
  readonly pairs: () => readonly Pair[];
  /** False until the first indexing has ended. */
  readonly ready: () => boolean;
}

const HITS = 8;
const GREETING = /^\s*(hi|hello|hey|good (morning|afternoon|evening)|你好|您好|こんにちは)[\s!.,！。]*$/i;
const ABOUT_ITSELF =
  /\bwhat (can|do) you (do|know|answer)|what (documents|topics)|^\s*help\s*\??$|你能(回答|做)什么|何ができ/i;

export const isGreeting = (question: string): boolean => GREETING.test(question);

/**
 * Finds passages for a question. If none are found for a question of at most two terms, searches again with the terms
 * of the earlier questions added.
 */
export function retrieve(asked: Asked, deps: KnowledgeDeps) {
  const scope = scopeOf(asked, deps);
  const query = buildQuery(asked.question, asked.history);
  const hits = search(query, deps.indexes, scope);
  if (hits.length > 0 || query.followUp || asked.history.length === 0 || query.own.length > 2)
    return { query, hits };
  const widened = buildQuery(asked.question, asked.history, true);
  return { query: widened, hits: search(widened, deps.indexes, scope) };
}

function scopeOf(asked: Asked, deps: KnowledgeDeps): SearchScope {
  const { account, conduct } = asked;
  const leavesOut = asked.agent.leavesOut;
  const own = conduct?.workspaces;
  const workspaces = deps.workspaceIds(asked.workspaces);
  const mayRead = ({ document, workspace }: Owner): boolean =>
    mayUse(account, workspace) &&
    (own === undefined || own.includes(workspace)) &&
    (asked.workspaces.length === 0 ? !leavesOut.includes(workspace) : workspaces.includes(workspace)) &&
    (asked.documents.length === 0 || asked.documents.includes(document));
  return { mayRead, limit: conduct?.fragments ?? HITS, leastScore: conduct?.leastScore ?? 0 };
}

/** Answers by quoting the documents (platform contract LOC-1: the agent `knowledge`). */
export function knowledgeAgent(deps: KnowledgeDeps): Agent {
  return async function* (asked) {
    const started = deps.clock.now();
    if (isGreeting(asked.question) || ABOUT_ITSELF.test(asked.question)) {
      const titles = titlesFor(asked, deps);
      yield* say(phrases(answerLanguage(asked)).greeting(titles), asked, deps);
      yield openingQuestions(asked, deps);
      return;
    }
    const paired = pairFor(asked, deps);
    if (paired !== undefined) {
      yield { type: 'sources', sources: asked.conduct?.showsReferences === false ? [] : [sourceOf(paired)] };
      yield* say(paired.answer, asked, deps);
      return;
    }
    const { query, hits } = retrieve(asked, deps);
    yield* thoughts(asked, hits, deps.clock.now() - started);
    const terms = weigh(query, deps.indexes.documents);
    const language = answerLanguage(asked);
    const { text, sources } = compose({ ...query, language }, hits, terms, asked.conduct?.showsReferences);
    yield { type: 'sources', sources };
    if (text === '') {
      yield* say(nothingFound(asked, deps), asked, deps);
      yield openingQuestions(asked, deps);
      return;
    }
    if (asked.retrievalOnly)
      yield { type: 'text', text: sources.map((source) => source.content).join('\n\n---\n\n') };
    else yield* say(text, asked, deps);
    yield { type: 'suggestions', questions: suggestionsFor(hits, deps.indexes.documents, asked.question) };
  };
}

/**
 * Returns the newest question-answer pair that contains the question. Letter case, punctuation and forms
 * of words may differ (platform contract QNA-3).
 */
function pairFor(asked: Asked, deps: KnowledgeDeps): Pair | undefined {
  const wanted = termsOf(asked.question).join(' ');
  const { mayRead } = scopeOf(asked, deps);
  return deps
    .pairs()
    .findLast(
      ({ workspace, questions }) =>
        mayRead({ document: '', workspace }) &&
        questions.some((question) => termsOf(question).join(' ') === wanted),
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
function answerLanguage({ chatLanguage, question }: Asked): Language {
  return languageOfTag(chatLanguage) ?? languageOf(question);
}

/** Reports a search as one thought. */
export function* thoughts(asked: Asked, hits: readonly Hit[], tookMs: number): Iterable<Piece> {
  const words = phrases(languageOfTag(asked.systemLanguage) ?? 'en');
  const elapsedTime = { model: 0, action: tookMs, total: tookMs };
  const documents = new Set(hits.map((hit) => hit.document.id)).size;
  const thought = words.found(hits.length, documents);
  yield { type: 'thought', thought: { pluginName: words.plugin, state: 'success', elapsedTime, thought } };
}

function nothingFound(asked: Asked, deps: KnowledgeDeps): string {
  const words = phrases(answerLanguage(asked));
  if (!deps.ready()) return words.indexing;
  const titles = titlesFor(asked, deps);
  const isLimited = asked.workspaces.length > 0 || asked.documents.length > 0;
  const readsNone = titles.length === 0 && !isLimited && hasUnreadableDocuments(asked, deps);
  return readsNone ? words.noDocuments : words.nothing(titles);
}

/** True if the agent has at least one document that the account may not read. */
function hasUnreadableDocuments({ account, agent }: Asked, { indexes }: KnowledgeDeps): boolean {
  return indexes.documents
    .list()
    .some(({ workspace }) => !agent.leavesOut.includes(workspace) && !mayUse(account, workspace));
}

const TITLES = 12;

function titlesFor(asked: Asked, deps: KnowledgeDeps): readonly string[] {
  const read = readableDocuments(asked, deps).filter(({ state }) => state === 'success');
  return read.slice(0, TITLES).map(({ title }) => title);
}

function readableDocuments(asked: Asked, deps: KnowledgeDeps): readonly StoredDocument[] {
  const { mayRead } = scopeOf(asked, deps);
  const documents = deps.indexes.documents.list();
  return documents.filter(({ id, workspace }) => mayRead({ document: id, workspace }));
}

/** Suggests questions for the start of a conversation, from the documents that the account may read. */
export function openingQuestions(asked: Asked, deps: KnowledgeDeps): Piece {
  const questions: string[] = [];
  for (const document of readableDocuments(asked, deps)) {
    if (questions.length >= 3) break;
    const chunk = deps.indexes.documents.chunksOf(document.id).find(({ heading }) => heading !== '');
    if (chunk === undefined) continue;
    const hit = { chunk: { ...chunk, heading: '' }, document, score: 1 };
    questions.push(...suggestionsFor([hit], deps.indexes.documents, '').slice(0, 1));
  }
  return { type: 'suggestions', questions };
}

/** Lists the passages that were found, and composes no answer (platform contract FIX-1: demonstration agents). */
export function passagesAgent(deps: KnowledgeDeps): Agent {
  return async function* (asked) {
    const { query, hits } = retrieve(asked, deps);
    yield* thoughts(asked, hits, 0);
    const { sources } = compose(query, hits, weigh(query, deps.indexes.documents));
    yield { type: 'sources', sources };
    const lines = sources.map(
      (source, index) => `${index + 1}. **${source.title}** (${source.score}): ${firstWords(source.content)}`,
    );
    const text =
      lines.length === 0 ? nothingFound(asked, deps) : `I found these passages:\n\n${lines.join('\n')}`;
    yield* say(text, asked, deps);
    const questions = suggestionsFor(hits, deps.indexes.documents, asked.question).slice(0, 2);
    yield { type: 'suggestions', questions };
  };
}

const firstWords = (text: string): string => `${text.replace(/\s+/g, ' ').slice(0, 120)}…`;
