import { recall, remember } from './memory.ts';

/** A color scheme. `system` means the operating system's scheme. */
export type Theme = 'system' | 'light' | 'dark';

export const themes: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'theme';

export function currentTheme(): Theme {
  return themes.find((theme) => theme === recall(KEY)) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  remember(KEY, theme === 'system' ? undefined : theme);
}
