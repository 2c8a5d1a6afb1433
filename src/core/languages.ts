/** Languages that answers can be asked for: any that has a name, and those that people are offered. */

interface Language {
  /** BCP 47. */
  readonly code: string;
  readonly name: string;
  /** In its own words. */
  readonly own: string;
}

/** Those of the bridge's people; an agent may know more. */
export const languages: readonly Language[] = [
  { code: 'en', name: 'English', own: 'English' },
  { code: 'zh-CN', name: 'Chinese', own: '中文' },
  { code: 'ja', name: 'Japanese', own: '日本語' },
  { code: 'de', name: 'German', own: 'Deutsch' },
  { code: 'fr', name: 'French', own: 'Français' },
  { code: 'es', name: 'Spanish', own: 'Español' },
];

/** Made when first needed, because loading its data would add 15 ms to the start. */
let names: Intl.DisplayNames | undefined;

const nameOf = (code: string): string | undefined => {
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  return names.of(code);
};

/** The code as BCP 47 writes it; nothing where no such language is known. */
export function canonicalLanguage(said: string): string | undefined {
  try {
    const code = Intl.getCanonicalLocales(said)[0];
    return code === undefined || nameOf(code) === undefined ? undefined : code;
  } catch {
    return undefined;
  }
}

/** In English; the code itself where it has no name. */
export function languageName(code: string): string {
  try {
    return nameOf(code) ?? code;
  } catch {
    return code;
  }
}
