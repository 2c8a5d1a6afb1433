/** Reads a bill of materials in the format CycloneDX 1.5 as `npm sbom` prints it, and lists the licenses in it. */

import { z } from 'zod';

/** SPDX ids of licenses that only require their notice to be kept. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Unlicense',
  'Zlib',
]);

/** Packages whose package.json names no SPDX id, with the license that their file LICENSE contains. */
const READ_IN_FILE: Readonly<Record<string, string>> = { 'duck@0.1.12': 'BSD-2-Clause' };

const NONE = 'none';

const named = z.object({ id: z.string().optional(), name: z.string().optional() });

const componentShape = z.looseObject({
  'bom-ref': z.string(),
  name: z.string(),
  version: z.string(),
  scope: z.string().optional(),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  licenses: z.array(z.object({ license: named.optional(), expression: z.string().optional() })).default([]),
});

const billShape = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(componentShape),
  dependencies: z.array(z.looseObject({ ref: z.string() })),
});

export type Bill = z.output<typeof billShape>;
type Component = z.output<typeof componentShape>;

export interface License {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as the package states it; `none` if it states none. */
  readonly license: string;
  readonly optional: boolean;
  readonly allowed: boolean;
}

/**
 * Checks a software bill of materials, and returns it without the packages that only development needs. Throws a
 * ZodError if the bill does not have the expected format.
 */
export function productionBill(printed: unknown): Bill {
  const bill = billShape.parse(printed);
  const components = bill.components.filter(({ properties }) =>
    properties.every(({ name }) => name !== 'cdx:npm:package:development'),
  );
  const left = new Set(components.map((component) => component['bom-ref']));
  const removed = new Set(
    bill.components.map((component) => component['bom-ref']).filter((ref) => !left.has(ref)),
  );
  return { ...bill, components, dependencies: bill.dependencies.filter(({ ref }) => !removed.has(ref)) };
}

/** Returns the license of each package, sorted by name and version. */
export function licensesIn({ components }: Bill): readonly License[] {
  return components
    .map((component) => {
      const license = expressionOf(component);
      const { name, version, scope } = component;
      return { name, version, license, optional: scope === 'optional', allowed: isAllowed(license) };
    })
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.version.localeCompare(other.version));
}

function expressionOf({ name, version, licenses }: Component): string {
  const stated = licenses.map(
    ({ license, expression }) => expression ?? license?.id ?? license?.name ?? NONE,
  );
  return READ_IN_FILE[`${name}@${version}`] ?? (stated.length === 0 ? NONE : stated.join(' AND '));
}

/** Judges an SPDX expression without nested parentheses. Refuses every other expression. */
export function isAllowed(expression: string): boolean {
  const flat = expression.replace(/^\(([^()]*)\)$/, '$1');
  if (/[()]/.test(flat)) return false;
  return flat.split(' OR ').some((choice) => choice.split(' AND ').every((id) => ALLOWED.has(id)));
}

/** Returns a Markdown table of the licenses. */
export function licensePage(licenses: readonly License[]): string {
  const rows = licenses.map(
    ({ name, version, license, optional }) =>
      `| ${name} | ${version} | ${license} | ${optional ? 'optional' : 'yes'} |`,
  );
  const head = ['| package | version | license | needed |', '| --- | --- | --- | --- |'];
  return ['# Licenses of the packages in production', '', ...head, ...rows, ''].join('\n');
}
