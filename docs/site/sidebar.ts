/** The pages of the documentation site in reading order, and the address of each. */

import { posix } from 'node:path';

export interface Entry {
  readonly title: string;
  /** Path of the page, relative to the project's folder. */
  readonly path: string;
}

export interface Chapter {
  readonly title: string;
  readonly pages: readonly Entry[];
  /** If true, the chapter is collapsed in the sidebar until the reader opens it or one of its pages. */
  readonly closed?: true;
}

const page = (title: string, path: string): Entry => ({ title, path });
const operations = (title: string, name: string): Entry => page(title, `docs/platform/${name}.md`);

/** The first page; it belongs to no chapter. */
export const HOME = 'docs/site/index.md';

export const chapters: readonly Chapter[] = [
  {
    title: 'Start',
    pages: [
      page('Before you start', 'docs/before-you-start.md'),
      page('Getting started', 'docs/getting-started.md'),
      page('All pages', 'docs/pages.md'),
    ],
  },
  {
    title: 'Tasks',
    pages: [
      page('Connect Slack', 'docs/slack.md'),
      page('Connect Microsoft Teams', 'docs/teams.md'),
      page('Connect an XMPP server', 'channels/xmpp/README.md'),
      page('Sign-in to the console', 'docs/sign-in.md'),
      page('Platform accounts of people', 'docs/accounts.md'),
      page('Connect your platform', 'docs/your-agents.md'),
      page('Embed Parley', 'docs/embed.md'),
      page('Write an agent', 'docs/write-an-agent.md'),
      page('Write a channel', 'docs/channels.md'),
      page('The platform from code', 'docs/platform-from-code.md'),
      page('Who may do what', 'docs/rules.md'),
      page('Operate Parley', 'docs/operating.md'),
      page('Privacy and audit', 'docs/privacy.md'),
      page('Several replicas', 'docs/replicas.md'),
      page('Run on Kubernetes', 'docs/kubernetes.md'),
      page('Run the sandbox alone', 'docs/sandbox.md'),
    ],
  },
  {
    title: 'How it works',
    pages: [
      page('How a message becomes an answer', 'docs/how-it-works.md'),
      page('Pacing', 'docs/pacing.md'),
      page('Growing text', 'docs/growing-text.md'),
      page('Architecture', 'docs/architecture.md'),
      page('Decisions', 'docs/decisions.md'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('Settings', 'docs/configuration.md'),
      page('Commands', 'docs/reference/commands.md'),
      page('Terms', 'docs/reference/terms.md'),
      page('Errors', 'docs/errors.md'),
    ],
  },
  {
    title: 'Operations of the platform',
    closed: true,
    pages: [
      page('All operations', 'docs/platform/README.md'),
      operations('Authentication', 'auth'),
      operations('Lite chat', 'chat'),
      operations('Lite administration', 'lite'),
      operations('Images', 'images'),
      operations('Media', 'media'),
      operations('Clients', 'clients'),
      operations('Workspaces', 'workspaces'),
      operations('Workspace types', 'types'),
      operations('Files', 'files'),
      operations('Question-answer pairs', 'qna'),
      operations('Retrieval', 'retrieval'),
      operations('References', 'references'),
      operations('Expert chat', 'experts'),
      operations('Bots', 'bots'),
      operations('Users', 'users'),
      operations('Roles', 'roles'),
      operations('Organizations', 'orgs'),
      operations('With curl', 'curl'),
    ],
  },
  {
    title: 'Rules and proof',
    pages: [
      page('Rules under a code', 'docs/reference/README.md'),
      page('The platform contract', 'docs/reference/platform-contract.md'),
      page('Reliability', 'docs/reference/reliability.md'),
      page('Slack’s error codes', 'docs/reference/slack-errors.md'),
      page('Threat model', 'docs/threat-model.md'),
      page('Attacks', 'docs/reference/attacks.md'),
      page('Performance targets', 'docs/reference/performance.md'),
      page('What was proven on what', 'docs/reference/proven.md'),
    ],
  },
  {
    title: 'Project',
    pages: [
      page('Contribute', 'CONTRIBUTING.md'),
      page('Security', 'SECURITY.md'),
      page('Changelog', 'CHANGELOG.md'),
    ],
  },
];

/** All pages in reading order, the first page included. */
export const pages: readonly Entry[] = [
  page('Parley', HOME),
  ...chapters.flatMap((chapter) => chapter.pages),
];

/** Returns the path of a page's file within the site: `docs/platform/README.md` becomes `platform/index.md`. */
export function placeOf(path: string): string {
  if (path === HOME || path === 'README.md') return 'index.md';
  const inside = path.startsWith('docs/') ? path.slice('docs/'.length) : path.toLowerCase();
  return inside.replace(/README\.md$/, 'index.md');
}

/**
 * Converts a link in the page at `path` for the site: a relative link becomes the address of the page to which it
 * leads.
 */
export function linkFrom(path: string, to: string): string {
  const [, file = '', fragment = ''] = /^([^#]*)(#.*)?$/.exec(to) ?? [];
  if (file === '' || /^[a-z]+:/.test(to) || file.startsWith('/')) return to;
  return `/${placeOf(posix.join(posix.dirname(path), file))}${fragment}`;
}

/**
 * Returns the fragment for links to a heading. It is the same as on GitHub, so that links work both there and on the
 * site.
 */
export function fragmentOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
