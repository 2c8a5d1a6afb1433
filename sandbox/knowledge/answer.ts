import type { Source } from '../store/sessions.ts';
import { termsOf } from '../words/terms.ts';
import { phrases } from './phrases.ts';
import { coverage, type Hit, type Query, type WeightedTerm } from './search.ts';
import { type Unit, unitsOf } from './units.ts';

/**
 * Maximum number of quoted passages; maximum characters of a section that is quoted as a whole; maximum characters of
 * the answer.
 */
const MAX_PASSAGES = 3;
const WHOLE_SECTION = 520;
const ANSWER_LENGTH = 1_300;
const MAX_IMAGES = 2;
const LEAD_LENGTH = 260;
/**
 * Factor for the score of a sentence, list item or row if it contains what the question asks for: a time, an amount or
 * a place.
 */
const KIND_FACTOR = 2;
/**
 * Added to the score of a numbered step if the question asks how to do something and the heading contains all words of
 * the question; a smaller value is added if the heading contains only some of them.
 */
const STEP_BONUS = 1;
/** Minimum score of a quoted passage, as a share of the best passage's score. */
const SCORE_SHARE = 0.77;

interface Quoted {
  readonly hit: Hit;
  readonly units: readonly Unit[];
}

interface ScoredUnit {
  readonly unit: Unit;
  readonly score: number;
}

/**
 * Composes an answer from sentences, list items and table rows about the question. The answer is Markdown with
 * citations such as `[1]`, whose numbers are positions in the list of sources (platform contract REF-2). If `cites` is false, the
 * answer has no citations, because the caller sees no sources.
 */
export function compose(query: Query, hits: readonly Hit[], terms: readonly WeightedTerm[], cites = true) {
  const quoted = choose(query, hits, terms);
  const parts: string[] = [];
  for (const [index, passage] of quoted.entries()) {
    const lead = index === 0 ? leadOf(passage, query, terms) : undefined;
    parts.push(...write(passage, lead, cites ? ` [${index + 1}]` : '', query));
  }
  return { text: parts.join('\n\n'), sources: sourcesOf(quoted.map((passage) => passage.hit)) };
}

function choose(query: Query, hits: readonly Hit[], terms: readonly WeightedTerm[]): readonly Quoted[] {
  const near = related(hits, query, terms)
    .map((hit) => ({ hit, strength: hit.score * (0.5 + bestUnit(hit, query, terms)) }))
    .sort((a, b) => b.strength - a.strength)
    .map(({ hit }) => hit);
  const quoted: Quoted[] = [];
  const said = new Set<string>();
  let length = 0;
  for (const hit of inDocumentOrder(near)) {
    const units = pick(hit, query, terms, hit === near[0]).filter((unit) => !said.has(unit.text));
    const size = units.reduce((sum, unit) => sum + unit.text.length, 0);
    if (units.length === 0 || (quoted.length > 0 && length + size > ANSWER_LENGTH)) continue;
    for (const unit of units) said.add(unit.text);
    length += size;
    quoted.push({ hit, units });
  }
  return quoted;
}

/**
 * Returns the best passage, and other passages that are nearly as good. Each other passage must also contain the rarest
 * of the words that the best passage shares with the question, or a synonym of that word.
 */
function related(hits: readonly Hit[], query: Query, terms: readonly WeightedTerm[]): readonly Hit[] {
  const [best] = hits;
  if (best === undefined) return [];
  const words = (hit: Hit) => new Set(termsOf(`${hit.chunk.heading} ${hit.chunk.text}`));
  const speaks = ({ term, others }: WeightedTerm, held: ReadonlySet<string>) =>
    held.has(term) || others.some((other) => held.has(other));
  const inBest = words(best);
  const rarest = terms
    .filter((term) => (query.own.length === 0 || query.own.includes(term.term)) && speaks(term, inBest))
    .sort((a, b) => b.weight - a.weight)[0];
  const belongs = (hit: Hit): boolean =>
    hit.chunk.heading !== '' &&
    hit.score >= best.score * SCORE_SHARE &&
    (query.recent.size === 0 || query.recent.has(hit.document.id)) &&
    rarest !== undefined &&
    speaks(rarest, words(hit));
  return hits.filter((hit) => hit === best || belongs(hit)).slice(0, MAX_PASSAGES);
}

const bestUnit = (hit: Hit, query: Query, terms: readonly WeightedTerm[]): number =>
  Math.max(0, ...unitsOf(hit.chunk.text).map((unit) => unitScore(unit, query, terms, hit)));

/**
 * Groups passages by document. Keeps the order of `hits`, best first, for the documents and for the passages in each
 * document.
 */
function inDocumentOrder(hits: readonly Hit[]): readonly Hit[] {
  const documents = [...new Set(hits.map((hit) => hit.document.id))];
  return documents.flatMap((id) => hits.filter((hit) => hit.document.id === id));
}

/** Returns the parts of a passage to quote. The best passage is quoted as a whole if it is short. */
function pick(hit: Hit, query: Query, terms: readonly WeightedTerm[], isBest: boolean): readonly Unit[] {
  const units = unitsOf(hit.chunk.text);
  const length = units.reduce((sum, unit) => sum + (unit.kind === 'image' ? 0 : unit.text.length), 0);
  const hasRows = units.some((unit) => unit.kind === 'row');
  if (isBest && length <= WHOLE_SECTION && !hasRows) return units;
  const scored = units.map((unit) => ({ unit, score: unitScore(unit, query, terms, hit) }));
  const top = Math.max(0, ...scored.map(({ score }) => score));
  if (top === 0) return [];
  const enough = scored.filter(({ score }) => score >= top * (isBest ? 0.45 : 0.6));
  const kept = new Set(
    [...enough]
      .sort((a, b) => b.score - a.score)
      .slice(0, isBest ? 6 : 2)
      .map(({ unit }) => unit),
  );
  return completed(units, scored, kept, query);
}

/**
 * If a step of a numbered list is quoted, adds the whole list, because a single step makes no sense. Does not add the
 * list if the question asks for a time, an amount or a place. Always adds the passage's pictures.
 */
function completed(
  units: readonly Unit[],
  scored: readonly ScoredUnit[],
  kept: ReadonlySet<Unit>,
  query: Query,
): readonly Unit[] {
  const steps = asksForKind(query.question)
    ? new Set<number>()
    : new Set(scored.filter(({ unit }) => kept.has(unit) && isStep(unit)).map(({ unit }) => unit.block));
  return units.filter((unit) => kept.has(unit) || unit.kind === 'image' || steps.has(unit.block));
}

function unitScore(unit: Unit, query: Query, terms: readonly WeightedTerm[], hit: Hit): number {
  if (unit.kind === 'image') return 0;
  const words = new Set(termsOf(`${unit.text} ${unit.head}`));
  const heading = new Set(termsOf(hit.chunk.heading));
  const around = new Set([...heading, ...termsOf(hit.document.title)]);
  const own = terms.filter(({ term }) => query.own.includes(term));
  const base = (coverage(terms, words) + coverage(own, words)) / 2 + 0.35 * coverage(terms, around);
  if (fitsKind(query.question, unit.text)) return base * KIND_FACTOR;
  return ASKS_HOW_TO.test(query.question) && isStep(unit) ? base + STEP_BONUS * coverage(own, heading) : base;
}

/**
 * Returns the sentence, item or row with which the answer begins, in bold: usually the part with the best score. If the
 * heading contains most of the question's words, returns the first sentence instead, unless the question asks for a
 * time, an amount or a place.
 */
function leadOf(passage: Quoted, query: Query, terms: readonly WeightedTerm[]): Unit | undefined {
  const asksKind = asksForKind(query.question);
  const able = passage.units.filter(
    (unit) =>
      (unit.kind === 'sentence' && unit.text.length <= LEAD_LENGTH && !unit.text.endsWith(':')) ||
      (unit.kind === 'item' && asksKind && unit.text.length <= LEAD_LENGTH) ||
      unit.kind === 'row',
  );
  const sentences = able.filter((unit) => unit.kind === 'sentence');
  const own = terms.filter(({ term }) => query.own.includes(term));
  const headed = coverage(own, new Set(termsOf(passage.hit.chunk.heading))) >= 0.75;
  if (headed && !asksKind) return sentences[0];
  const [lead, next] = able
    .map((unit): ScoredUnit => ({ unit, score: unitScore(unit, query, terms, passage.hit) }))
    .sort((a, b) => b.score - a.score);
  // Several rows are equally good, so show them as a table and begin with none of them.
  const tied = lead?.unit.kind === 'row' && next?.score === lead.score;
  return tied ? undefined : lead?.unit;
}

/**
 * Returns the text of the answer's bold beginning. Removes the marker of a list item. For a row, returns the first cell
 * and the columns that the question asks about. If the question asks about none of them, returns all columns.
 */
function leadText(unit: Unit, query: Query): string {
  if (unit.kind !== 'row') return plain(unit.text.replace(/^\s*([-*+]|\d+[.)])\s+/, ''));
  const [name = '', ...values] = cellsOf(unit.text);
  const [, ...columns] = cellsOf(unit.head.split('\n')[0] ?? '');
  const named = values.map((value, index) => ({ value, column: columns[index] ?? '' }));
  const asked = named.filter(({ column }) => termsOf(column).some((term) => query.own.includes(term)));
  return plain(
    `${name}: ${(asked.length > 0 ? asked : named).map(({ value, column }) => `${column} ${value}`).join(', ')}`,
  );
}

const cellsOf = (row: string): readonly string[] =>
  row
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());

/**
 * Writes a passage as Markdown: the bold beginning or the heading, then the quoted parts in order, then the citation.
 */
function write(passage: Quoted, lead: Unit | undefined, cited: string, query: Query): readonly string[] {
  const rest = passage.units.filter((unit) => unit !== lead || unit.kind !== 'sentence');
  const images = rest.filter((unit) => unit.kind === 'image').slice(0, MAX_IMAGES);
  const groups = grouped(rest.filter((unit) => unit.kind !== 'image'));
  const blocks: string[] = lead === undefined ? [] : [`**${leadText(lead, query)}**${cited}`];
  for (const [index, group] of groups.entries()) {
    const opens = lead === undefined && index === 0;
    const title = plain(heading(passage.hit));
    if (opens && group.kind === 'sentence') blocks.push(`**${title}** ${group.text}`);
    else if (opens) blocks.push(`${phrases(query.language).from(title)}${cited}`, group.text);
    else blocks.push(group.text);
  }
  const end = blocks.length - 1;
  const last = blocks[end];
  if (last !== undefined && !last.startsWith('|') && !last.endsWith(cited)) blocks[end] = last + cited;
  return [...blocks, ...images.map((unit) => unit.text)];
}

const plain = (text: string): string => text.replaceAll('**', '');

/** Returns the innermost heading. All headings together would look like a path. */
const heading = (hit: Hit): string => hit.chunk.heading.split(' › ').at(-1) || hit.document.title;

function grouped(units: readonly Unit[]) {
  return [...Map.groupBy(units, ({ block }) => block).values()].map((members) => {
    const [first] = members;
    const kind = first?.kind ?? 'sentence';
    const lines = members.map((unit) => unit.text);
    if (kind === 'row') return { kind, text: [first?.head ?? '', ...lines].join('\n') };
    return { kind, text: kind === 'item' ? lines.join('\n') : lines.join(' ').replace(/([。！？]) /g, '$1') };
  });
}

/**
 * Returns the fragments in the order of their numbers. Lowers scores where needed, so that no fragment has a higher
 * score than the one before it.
 */
function sourcesOf(hits: readonly Hit[]): readonly Source[] {
  let ceiling = 1;
  return hits.map((hit) => {
    ceiling = Math.min(ceiling, hit.score);
    return {
      chunk: hit.chunk.id,
      document: hit.document.id,
      title: hit.document.title,
      content: hit.chunk.heading === '' ? hit.chunk.text : `${hit.chunk.heading}\n\n${hit.chunk.text}`,
      score: ceiling,
    };
  });
}

/** Kinds of questions. `asked` matches the question; `given` matches a sentence that can answer it. */
const KINDS = [
  {
    asked:
      /\bhow (long|soon|fast|quickly|often|old)\b|\bwhen\b|\bdeadline\b|多久|多长|何时|什么时候|期限|有效期|いつ|どのくらい|期間/i,
    given:
      /\d+[\s-]*(minute|hour|day|week|month|year|second)|\b\d{1,2}:\d{2}\b|\b(one|two|three|four|five|six|seven|ten|eleven|twelve) (working |calendar |business )?(minute|hour|day|week|month|year)|\d+\s*(分钟|小时|天|日|周|个?月|年|時間|分)|[一二三四五六七八九十]+个?(工作|小时|天|日|周|月|年)/i,
  },
  {
    asked: /\bhow (much|many)\b|\b(costs?|price|limit|maximum|rate)\b|多少|几|いくら/i,
    given: /\d|[一二三四五六七八九十百千]+(元|天|个)|\bnothing\b|\bfree\b/i,
  },
  {
    asked: /\bwhere\b|哪里|哪儿|どこ/i,
    given:
      /\b(next to|floor|wing|behind|beside|in front|side|lobby|building|reception|at the|in the)\b|[层楼]|階/i,
  },
];

const ASKS_HOW_TO = /\bhow (do|can|should) (i|we)\b|\bhow to\b|怎么|如何|どうやって/i;

const isStep = (unit: Unit): boolean => /^\s*\d+[.)]/.test(unit.text);

/** True if the question asks for a time, an amount or a place. */
const asksForKind = (question: string): boolean => KINDS.some(({ asked }) => asked.test(question));

/** True if the sentence contains the time, amount or place that the question asks for. */
const fitsKind = (question: string, sentence: string): boolean =>
  KINDS.some(({ asked, given }) => asked.test(question) && given.test(sentence));
