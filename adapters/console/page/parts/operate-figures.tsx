/** Loads the figures of the operator's page, and the parts that show them. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { every } from '../clock.ts';
import { api, sentenceOf } from '../net/api.ts';
import { Notice } from './notice.tsx';

/** Interval at which figures of the present are read again, in milliseconds. */
const REFRESH_MS = 10_000;

interface LoadedProps<View> {
  readonly path: string;
  readonly query: string;
  /** True to read the figures again every 10 s while the page is visible. */
  readonly live?: boolean;
  readonly children: (view: View) => ComponentChildren;
}

/** Loads figures, again when the query changes, and shows what `children` makes of them. */
export function Loaded<View>({ path, query, live = false, children }: LoadedProps<View>) {
  const [{ view, failure }, setState] = useState<{ readonly view?: View; readonly failure?: string }>({});
  useEffect(() => {
    const control = new AbortController();
    const read = () =>
      api.operate<View>(`${path}?${query}`, control.signal).then(
        (news) => setState({ view: news }),
        (thrown: unknown) => {
          if (!control.signal.aborted) setState((last) => ({ ...last, failure: sentenceOf(thrown) }));
        },
      );
    void read();
    const end = live ? every(REFRESH_MS, () => !document.hidden && void read()) : undefined;
    return () => {
      control.abort();
      end?.();
    };
  }, [path, query, live]);
  return (
    <>
      {failure && <Notice alert tone="error" text={failure} />}
      {view !== undefined && children(view)}
      {view === undefined && failure === undefined && <p role="status">Reading the figures</p>}
    </>
  );
}

/** A number, what an operator reads beside it, and whether it needs attention. */
type Tile = readonly [value: string | number, note?: string | undefined, isBad?: boolean];

export const Tiles = ({ tiles }: { readonly tiles: Readonly<Record<string, Tile>> }) => (
  <dl class="tiles">
    {Object.entries(tiles).map(([label, [value, note, isBad]]) => (
      <div key={label} class={isBad ? 'tile bad' : 'tile'}>
        <dt>{label}</dt>
        <dd>
          {value}
          {note !== undefined && <span class="quiet"> {note}</span>}
        </dd>
      </div>
    ))}
  </dl>
);

/** The columns of a table by their names, each with its cell of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => ComponentChildren>>;

interface ListProps<Row> {
  readonly title: string;
  /** Stands beside the title. */
  readonly note?: ComponentChildren;
  readonly rows: readonly Row[];
  readonly columns: Columns<Row>;
  /** Stands in place of the table if it has no rows. */
  readonly none: string;
  /** Stands below the table. */
  readonly children?: ComponentChildren;
}

/** A part of a tab: a table with its title. */
export const List = <Row,>({ title, note, none, children, ...table }: ListProps<Row>) => (
  <section class="operate-list">
    <header>
      <h2>{title}</h2>
      {note !== undefined && <p class="quiet">{note}</p>}
    </header>
    {table.rows.length === 0 ? <Notice tone="info" text={none} /> : <Table title={title} {...table} />}
    {children}
  </section>
);

/**
 * A table whose cells carry the names of their columns, which a phone shows before each value. A link in the first
 * column covers its row.
 */
function Table<Row>({ title, rows, columns }: Pick<ListProps<Row>, 'title' | 'rows' | 'columns'>) {
  const cells = Object.entries(columns);
  return (
    <table class="operate-table" aria-label={title}>
      <thead>
        <tr>
          {cells.map(([name]) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, nth) => (
          <tr key={nth}>
            {cells.map(([name, cellOf]) => (
              <td key={name} data-column={name}>
                {cellOf(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Says that a query did not read everything. */
export const Searched = ({ count }: { readonly count: number | undefined }) =>
  count === undefined ? null : (
    <p class="quiet">
      Only the newest {count.toLocaleString('en')} records were read. Choose a shorter time or a filter.
    </p>
  );
