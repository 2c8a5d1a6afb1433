/**
 * Implements `npm run supply [-- FOLDER]`: writes the bill of materials and the licenses of the packages in production
 * to the folder (default dist/supply), and checks the packages' licenses and advisories. Exit code 1 if a license is
 * not allowed, or if an advisory is of severity high or critical. If the registry sends no advisories, the run reports
 * this and does not fail.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { advisoriesIn } from './advisories.ts';
import { licensePage, licensesIn, productionBill } from './bill.ts';

const root = new URL('../..', import.meta.url).pathname;
const folder = resolve(process.argv[2] ?? `${root}dist/supply`);
/** Maximum time for the registry to answer, in milliseconds. */
const AUDIT_MS = 30_000;
/** Maximum bytes that npm prints; the bill of materials has about 1 MB. */
const PRINTED_BYTES = 64 * 1024 * 1024;

const npm = (args: readonly string[], ms?: number): string =>
  spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: PRINTED_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...(ms !== undefined && { timeout: ms }),
  }).stdout;

function writeBill(): readonly string[] {
  const bill = productionBill(JSON.parse(npm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx'])));
  const licenses = licensesIn(bill);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/bill-of-materials.cdx.json`, `${JSON.stringify(bill, undefined, 2)}\n`);
  writeFileSync(`${folder}/licenses.md`, licensePage(licenses));
  console.log(
    `${licenses.length} packages in production; the bill of materials and the licenses are in ${folder}.`,
  );
  return licenses
    .filter(({ allowed }) => !allowed)
    .map(
      ({ name, version, license }) => `${name}@${version} has the license ${license}, which is not allowed.`,
    );
}

function checkAdvisories(): readonly string[] {
  const found = advisoriesIn(npm(['audit', '--omit=dev', '--package-lock-only', '--json'], AUDIT_MS));
  if (found.kind === 'unchecked') {
    console.log(`Advisories were not checked: ${found.why}.`);
    return [];
  }
  console.log(found.lines.length === 0 ? 'There is no advisory for these packages.' : found.lines.join('\n'));
  return found.refused === 0
    ? []
    : [`${found.refused} packages have an advisory of severity high or critical.`];
}

const refusals = [...writeBill(), ...checkAdvisories()];
for (const refusal of refusals) console.error(refusal);
if (refusals.length > 0)
  console.error('Replace or update these packages in package.json, then run `npm run supply` again.');
process.exitCode = refusals.length === 0 ? 0 : 1;
