/**
 * Finds the rules that `docs/reference` states under a code, and the files that cite a code. All functions are pure,
 * except those that read the files.
 */

import { globSync, readFileSync } from 'node:fs';
import type { Page } from './pages.ts';

const root = new URL('../../', import.meta.url).pathname;

/** Prefixes of standards, such as RFC, whose names look like rule codes. */
const STANDARDS = 'AES|BSD|FNV|GPL|ISO|PDF|PSF|RFC|SHA|UTF|XEP';
const CODE = String.raw`(?:(?!(?:${STANDARDS})-)[A-Z]{3}-\d+[a-z]?|[FS]\d\d|P\d\d?[sx]?)`;
const CITED = new RegExp(String.raw`\b(${CODE})\b(?:\s+(?:\*\s+)?to\s+(?:\*\s+)?(${CODE})\b)?`, 'g');
const CONTRACT = /\bdelivery contract,? (?:rule )?(\d+)/gi;
const STATED = new RegExp(String.raw`^(?:\| *|#{2,4} )(${CODE}|Delivery contract \d+)\b`, 'gm');

/** Matches references to documents outside the repository. */
const OUTSIDE =
  /\b(?:trust contract|contract, section \d|experience page|house rules? \d+)|\.\.\/shared\b|\bspec\/[a-z]+\.(?:md|json)\b|\b(?:trust|house|engine|experience|toolchain|platform|style)\.md\b/gi;

/** Returns the texts that may cite a rule, except the pages that state rules. */
export function citingFiles(): readonly Page[] {
  return read([
    '{src,adapters,channels,sandbox,bin,tools,test,docs}/**/*.{ts,tsx,js,mjs,css,html,json,yaml,md}',
    '*.md',
  ]).filter(({ path }) => !/^(?:docs\/reference\/|test\/docs\/rules)/.test(path));
}

export function referencePages(): readonly Page[] {
  return read(['docs/reference/**/*.md']);
}

function read(patterns: readonly string[]): readonly Page[] {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/.vitepress/**', '**/package-lock.json'];
  return globSync([...patterns], { cwd: root, exclude }).map((path) => ({
    path,
    text: readFileSync(`${root}${path}`, 'utf8'),
  }));
}

/** Returns the rule codes that a text cites; `F05 to F08` cites four. */
export function citedIn(text: string): ReadonlySet<string> {
  const codes = [...text.matchAll(CITED)].flatMap(([, from = '', to]) => (to ? between(from, to) : [from]));
  const numbers = [...text.matchAll(CONTRACT)].map(([, number = '']) => `Delivery contract ${number}`);
  return new Set([...codes, ...numbers]);
}

function between(from: string, to: string): readonly string[] {
  const [family, first] = parted(from);
  const [other, last] = parted(to);
  if (family !== other) return [from, to];
  const width = /^[FS]$/.test(family) ? 2 : 1;
  const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return [...numbers.map((number) => family + String(number).padStart(width, '0')), from, to];
}

function parted(code: string): readonly [family: string, number: number] {
  const [, family = '', number = ''] = /^(\D+)(\d+)/.exec(code) ?? [];
  return [family, Number(number)];
}

/** Returns the rule codes that a page states. Each stands at the start of a heading or table row. */
export function statedIn(text: string): readonly string[] {
  return [...text.matchAll(STATED)].map(([, code = '']) => code);
}

/** Returns the repository paths that a page names in backticks; `*` in a path matches any name. */
export function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(/`((?:adapters|bin|channels|docs|manifests|sandbox|src|test)\/[\w.*/-]+)`/g)].map(
    ([, path = '']) => path,
  );
}

/** Returns the references to documents outside the repository. */
export function outsideReferences(text: string): readonly string[] {
  return [...text.matchAll(OUTSIDE)].map(([found]) => found);
}
