import type { Source } from '../store/sessions.ts';
import { phrases } from './phrases.ts';
import type { Query } from './query.ts';
import { coverage, type Hit, type WeightedTerm } from './search.ts';
import { termsOf } from './terms.ts';
import { type Unit, unitsOf } from './units.ts';

export interface Composed {
  /** Markdown with citations `[1]`, one number for each document in order of first appearance. */
  readonly text: string;
  readonly sources: readonly Source[];
}

/** Passages quoted, characters of a section that is quoted whole, characters of the answer. */
const PASSAGES_AT_MOST = 4;
const WHOLE_SECTION = 520;
const ANSWER_LENGTH = 1_300;
const IMAGES_AT_MOST = 2;
/** A passage counts when its score is at least this share of the best one. */
const SCORE_SHARE = 0.72;

interface Quoted {
  readonly hit: Hit;
  readonly units: readonly Unit[];
}

interface ScoredUnit {
  readonly unit: Unit;
  readonly score: number;
}

/** Puts an answer together from the sentences, list lines and table rows that speak about the question. */
export function compose(query: Query, hits: readonly Hit[], terms: readonly WeightedTerm[]): Composed {
  const quoted = choose(query, hits, terms);
  const numbers = new Map<string, number>();
  const parts: string[] = [];
  for (const [index, passage] of quoted.entries()) {
    const { document } = passage.hit;
    const number = numbers.get(document.id) ?? numbers.size + 1;
    numbers.set(document.id, number);
    const lead = index === 0 ? leadOf(passage.units, query, terms, passage.hit) : undefined;
    parts.push(...write(passage, lead, number, query));
  }
  return { text: parts.join('\n\n'), sources: sourcesOf(quoted.map((passage) => passage.hit)) };
}

function choose(query: Query, hits: readonly Hit[], terms: readonly WeightedTerm[]): readonly Quoted[] {
  const [best] = hits;
  if (best === undefined) return [];
  const near = hits.filter((hit) => hit.score >= best.score * SCORE_SHARE).slice(0, PASSAGES_AT_MOST);
  const quoted: Quoted[] = [];
  const said = new Set<string>();
  let length = 0;
  for (const hit of inDocumentOrder(near)) {
    const units = pick(hit, query, terms, hit === best).filter((unit) => !said.has(unit.text));
    const size = units.reduce((sum, unit) => sum + unit.text.length, 0);
    if (units.length === 0 || (quoted.length > 0 && length + size > ANSWER_LENGTH)) continue;
    for (const unit of units) said.add(unit.text);
    length += size;
    quoted.push({ hit, units });
  }
  return quoted;
}

/** Documents by their best passage; inside a document the best passage first. */
function inDocumentOrder(hits: readonly Hit[]): readonly Hit[] {
  const documents = [...new Set(hits.map((hit) => hit.document.id))];
  return documents.flatMap((id) => hits.filter((hit) => hit.document.id === id));
}

/** The units of a passage worth quoting. A short section of the best passage is quoted whole. */
function pick(hit: Hit, query: Query, terms: readonly WeightedTerm[], isBest: boolean): readonly Unit[] {
  const units = unitsOf(hit.chunk.text);
  const length = units.reduce((sum, unit) => sum + (unit.kind === 'image' ? 0 : unit.text.length), 0);
  if (isBest && length <= WHOLE_SECTION) return units;
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
  return completed(units, scored, kept);
}

/** A chosen step brings the whole numbered list: steps make no sense alone. Pictures stay with their passage. */
function completed(
  units: readonly Unit[],
  scored: readonly ScoredUnit[],
  kept: ReadonlySet<Unit>,
): readonly Unit[] {
  const steps = new Set(
    scored
      .filter(({ unit }) => kept.has(unit) && /^\s*\d+[.)]/.test(unit.text))
      .map(({ unit }) => unit.block),
  );
  return units.filter((unit) => kept.has(unit) || unit.kind === 'image' || steps.has(unit.block));
}

const LONG =
  /\bhow (long|soon|fast|quickly|often|old)\b|\bwhen\b|\bdeadline\b|多久|多长|何时|什么时候|期限|有效期|いつ|どのくらい|期間/i;
const AMOUNT = /\bhow (much|many)\b|\b(cost|price|limit|maximum|rate)\b|多少|几|いくら|何/i;
const TIME_VALUE =
  /\d+\s*(-\s*)?(minute|hour|day|week|month|year|second)|\b(one|two|three|four|five|six|seven|ten|twelve|thirty|ninety) (working |calendar |business )?(minute|hour|day|week|month|year)|\d+\s*(分钟|小时|天|日|周|个?月|年|時間|分)|[一二三四五六七八九十]+个?(小时|天|日|周|月|年)/i;

function unitScore(unit: Unit, query: Query, terms: readonly WeightedTerm[], hit: Hit): number {
  if (unit.kind === 'image') return 0;
  const own = new Set(termsOf(unit.text));
  const around = new Set(termsOf(`${hit.chunk.heading} ${hit.document.title}`));
  const base = coverage(terms, own) + 0.35 * coverage(terms, around);
  const asked = query.question;
  const fits =
    (LONG.test(asked) && TIME_VALUE.test(unit.text)) || (AMOUNT.test(asked) && /\d/.test(unit.text));
  return base * (fits ? 1.35 : 1);
}

/** The sentence that answers best, if one does; it is set in bold at the beginning. */
function leadOf(
  units: readonly Unit[],
  query: Query,
  terms: readonly WeightedTerm[],
  hit: Hit,
): Unit | undefined {
  let lead: ScoredUnit | undefined;
  for (const unit of units) {
    if (unit.kind !== 'sentence' || unit.text.length > 260 || unit.text.endsWith(':')) continue;
    const score = unitScore(unit, query, terms, hit);
    if (lead === undefined || score > lead.score) lead = { unit, score };
  }
  return lead?.unit;
}

/** A passage in Markdown: the lead, then its units in their order, then the citation. */
function write(passage: Quoted, lead: Unit | undefined, number: number, query: Query): readonly string[] {
  const blocks: string[] = [];
  if (lead !== undefined) blocks.push(`**${lead.text.replaceAll('**', '')}** [${number}]`);
  const rest = passage.units.filter((unit) => unit !== lead);
  const images = rest.filter((unit) => unit.kind === 'image').slice(0, IMAGES_AT_MOST);
  const groups = grouped(rest.filter((unit) => unit.kind !== 'image'));
  for (const [index, group] of groups.entries()) {
    const first = blocks.length === 0 && index === 0;
    if (first && group.kind !== 'sentence')
      blocks.push(`${phrases(query.language).from(heading(passage.hit))} [${number}]`);
    blocks.push(cite(group, number));
  }
  return [...blocks, ...images.map((unit) => unit.text)];
}

const heading = (hit: Hit): string => (hit.chunk.heading === '' ? hit.document.title : hit.chunk.heading);

interface Group {
  readonly kind: Unit['kind'];
  readonly text: string;
}

function grouped(units: readonly Unit[]): readonly Group[] {
  const blocks = new Map<number, Unit[]>();
  for (const unit of units) blocks.set(unit.block, [...(blocks.get(unit.block) ?? []), unit]);
  return [...blocks.values()].map((members) => {
    const [first] = members;
    const kind = first?.kind ?? 'sentence';
    const lines = members.map((unit) => unit.text);
    if (kind === 'row') return { kind, text: [first?.head ?? '', ...lines].join('\n') };
    return { kind, text: lines.join(kind === 'item' ? '\n' : ' ') };
  });
}

/** The citation stands behind a paragraph or the last item of a list; a table is introduced with it. */
const cite = (group: Group, number: number): string =>
  group.kind === 'row' ? group.text : `${group.text} [${number}]`;

/** Fragments in the order of their numbers, with scores that never rise along it. */
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
