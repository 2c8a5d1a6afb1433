import { isFields } from './shapes.ts';
import type { Page } from './wire/answers.ts';

/** Pages after which a list ends, whatever the server says (platform contract GEN-8). */
const MAX_PAGES = 10_000;

/**
 * One page after the other: until the known total is reached, a page is empty, or a page begins like the one before
 * it. A server may give smaller pages than it was asked for, so a short page alone ends nothing (platform contract GEN-8).
 */
export async function* pagesOf<Item>(
  load: (pageIndex: number) => Promise<Page<Item>>,
  request: Readonly<Record<string, unknown>>,
): AsyncGenerator<Page<Item>, void, undefined> {
  const start = typeof request.pageIndex === 'number' ? request.pageIndex : 1;
  let before: string | undefined;
  let seen: number | undefined;
  for (let index = start; index < start + MAX_PAGES; index += 1) {
    const page = await load(index);
    const first = firstOf(page);
    if (index > start && (first === undefined || first === before)) return;
    yield page;
    before = first;
    seen = (seen ?? (start - 1) * page.pageSize) + page.items.length;
    if (first === undefined || (page.totalKnown && seen >= page.totalCount)) return;
  }
}

/** What tells a page's first element from another's: its id where it has one. */
function firstOf({ items: [first] }: Page<unknown>): string | undefined {
  if (first === undefined) return undefined;
  const id = isFields(first) ? (first.id ?? first.userId) : undefined;
  return JSON.stringify(id ?? first);
}
