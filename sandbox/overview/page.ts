import { control, type Route } from '../http/operation.ts';
import { jsonReply } from '../http/reply.ts';
import type { Overview } from './overview.ts';
import { STYLE } from './style.ts';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** Routes of the operator's page and of its data. They show keys, so they answer only to the loopback address. */
export const overviewRoutes = (overview: () => Overview): readonly Route[] => [
  control('GET /', () => ({ status: 200, headers: HEADERS, body: overviewPage(overview()) })),
  control('GET /__sandbox/overview', () => jsonReply(overview())),
];

/** Returns the operator's page as one HTML document without scripts (platform contract LOC-5). */
function overviewPage(overview: Overview): string {
  const all = [agents, chats, files, workspaces, users, organizations, clients];
  const sections = all.map((make) => make(overview));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sandbox · local agent platform</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header>
<h1>Sandbox</h1>
<p>The local agent platform that ships with Parley. Everything here is for trying out: the keys are no secrets.</p>
<nav aria-label="Sections">${sections.map(({ id, title, rows }) => html`<a href="#${id}">${title} <b>${rows.length}</b></a>`)}</nav>
</header>
<main>${sections.map(section)}</main>
</body>
</html>`;
  return page.text;
}

interface Section {
  readonly id: string;
  readonly title: string;
  readonly empty: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | Html)[])[];
}

const section = ({ id, title, empty, columns, rows }: Section): Html => html`
<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title} <span class="count">${rows.length}</span></h2>
${rows.length === 0 ? html`<p class="empty">${empty}</p>` : table(columns, rows)}
</section>`;

const table = (columns: Section['columns'], rows: Section['rows']): Html => html`
<div class="scroll" role="group" tabindex="0"><table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
  (cells) =>
    html`<tr>${cells.map((cell, index) => html`<td data-label="${columns[index] ?? ''}">${cell}</td>`)}</tr>`,
)}</tbody>
</table></div>`;

const code = (text: string): Html => (text === '' ? html`` : html`<code>${text}</code>`);
const minute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

const agents = ({ agents: list }: Overview): Section => ({
  id: 'agents',
  title: 'Agents',
  empty: 'There are no agents.',
  columns: ['Agent', 'Expert code', 'Agent id', 'API key', 'Key good until'],
  rows: list.map(({ title, description, expertCode, uuid, apiKey, key, deadline }) => [
    html`<strong>${title}</strong><small>${description}</small>`,
    code(expertCode),
    code(uuid),
    html`${code(apiKey)}<small>${key.channel}: ${key.name}. ${key.description}</small>`,
    deadline === '' ? 'for ever' : minute(deadline),
  ]),
});

const chats = ({ chats: list }: Overview): Section => ({
  id: 'chats',
  title: 'Recent chats',
  empty: 'Nobody has asked anything yet.',
  columns: ['Asked', 'Agent', 'Account', 'Question', 'Answer'],
  rows: list.map(({ asked, agent, account, question, answer }) => [
    minute(asked),
    agent,
    account,
    question,
    answer === '' ? html`<span class="state underway">no answer</span>` : answer,
  ]),
});

const files = ({ files: list }: Overview): Section => ({
  id: 'files',
  title: 'Files',
  empty: 'There are no files.',
  columns: ['File', 'Workspace', 'State', 'Chunks', 'Id'],
  rows: list.map(({ id, name, workspace, state, reason, chunks }) => [
    html`<strong>${name}</strong>${reason === '' ? html`` : html`<small>${reason}</small>`}`,
    workspace,
    html`<span class="state ${state}">${state}</span>`,
    chunks,
    code(id),
  ]),
});

const workspaces = ({ workspaces: list }: Overview): Section => ({
  id: 'workspaces',
  title: 'Knowledge workspaces',
  empty: 'There are no knowledge workspaces.',
  columns: ['Workspace', 'Files', 'Id'],
  rows: list.map(({ id, name, description, files: count }) => [
    html`<strong>${name}</strong><small>${description}</small>`,
    count,
    code(id),
  ]),
});

const users = ({ users: list }: Overview): Section => ({
  id: 'users',
  title: 'Users',
  empty: 'There are no users.',
  columns: ['User', 'Roles', 'May sign in', 'Id'],
  rows: list.map(({ id, userName, realName, roles, enabled }) => [
    html`<strong>${userName}</strong><small>${realName}</small>`,
    roles.join(', '),
    enabled ? html`<span class="state success">yes</span>` : html`<span class="state fail">no</span>`,
    code(id),
  ]),
});

const organizations = ({ organizations: list }: Overview): Section => ({
  id: 'organizations',
  title: 'Organizations',
  empty: 'There are no organizations.',
  columns: ['Organization', 'Code', 'Id'],
  rows: list.map(({ id, code: short, name }) => [html`<strong>${name}</strong>`, short, code(id)]),
});

const clients = ({ clients: list }: Overview): Section => ({
  id: 'clients',
  title: 'Clients',
  empty: 'There are no clients.',
  columns: ['Client', 'Interface', 'Id', 'Secret'],
  rows: list.map(({ id, name, kind, secret }) => [
    html`<strong>${name}</strong>`,
    kind,
    code(id),
    secret === '' ? html`<small>shown only once, when the client was created</small>` : code(secret),
  ]),
});

/** A text that is already HTML, so it is inserted without escaping. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Inserted = string | number | Html | readonly Html[];

/**
 * Returns a piece of a page. Escapes inserted texts and numbers; inserts `Html` as it is. No other function escapes.
 */
function html(parts: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  const texts = parts.map((part, index) => part + shown(inserted[index] ?? ''));
  return new Html(texts.join(''));
}

function shown(value: Inserted): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map((piece) => piece.text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
