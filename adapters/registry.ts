/** Every channel by its name, loaded only where it is switched on; types cost nothing. */

export type { ConsoleConfig } from './console/index.ts';
export type { SlackConfig } from './slack/index.ts';
export type { TeamsApp, TeamsConfig } from './teams/index.ts';
export type { Asking, Terminal, TerminalFile } from './terminal/index.ts';

export const adapters = {
  console: () => import('./console/index.ts'),
  slack: () => import('./slack/index.ts'),
  teams: () => import('./teams/index.ts'),
  terminal: () => import('./terminal/index.ts'),
} as const;
