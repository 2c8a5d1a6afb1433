/** The address of the operator's page: `#/operate/TAB?FILTERS`. It contains the tab, all filters and the open turn. */

export const TABS = {
  now: 'Now',
  turns: 'Turns',
  failures: 'Failures',
  feedback: 'Feedback',
  people: 'People',
};
export type Tab = keyof typeof TABS;

/** The text filters, with their labels. */
export const FILTERS = {
  agent: 'Agent',
  channel: 'Channel',
  tenant: 'Workspace',
  room: 'Room',
  person: 'Person',
  code: 'Error code',
} as const;

/** The states in which turns end. */
export const ENDS = {
  answered: 'Answered',
  partial: 'Interrupted',
  failed: 'Failed',
  stopped: 'Stopped',
  withdrawn: 'Withdrawn',
  expired: 'Expired',
  superseded: 'Question edited',
};

/** The other filters, with their labels and options. `usual` applies if the address contains none. */
export const CHOICES = {
  hours: {
    label: 'Time',
    usual: '24',
    options: {
      '1': 'Last hour',
      '24': 'Last day',
      '168': 'Last week',
      '720': 'Last 30 days',
      '2160': 'Last 90 days',
    },
  },
  state: {
    label: 'State',
    usual: '',
    options: { '': 'Any', 'failed,expired': 'Without an answer', ...ENDS },
  },
};

export interface OperatePlace {
  readonly tab: Tab;
  readonly filters: URLSearchParams;
}

const isTab = (text: string | undefined): text is Tab => text !== undefined && text in TABS;

/** Returns the address if it is one of the operator's page. */
export const operatingOf = (hash: string): string | undefined =>
  /^#\/operate(?:[/?]|$)/.test(hash) ? hash : undefined;

export function readPlace(address: string): OperatePlace {
  const [, tab, query] = /^#\/operate\/?(\w*)(?:\?(.*))?$/.exec(address) ?? [];
  return { tab: isTab(tab) ? tab : 'now', filters: new URLSearchParams(query) };
}

/** Returns the address of a tab with the same filters, and `changes` to them: undefined removes a filter. */
export function addressTo(
  { tab, filters }: OperatePlace,
  changes: Readonly<Record<string, string | undefined>> & { readonly tab?: Tab } = {},
): string {
  const { tab: next = tab, ...others } = changes;
  const query = new URLSearchParams(filters);
  // Another tab shows no open turn.
  if (next !== tab) query.delete('turn');
  for (const [name, value = ''] of Object.entries(others)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `#/operate/${next}${text === '' ? '' : `?${text}`}`;
}

/** Returns the query of a request: all filters except the open turn. */
export function queryOf(filters: URLSearchParams): string {
  const query = new URLSearchParams(filters);
  query.delete('turn');
  return query.toString();
}
