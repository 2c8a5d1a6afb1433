/** Languages for answers: the ones offered to people, and the check for any other language. */

interface Language {
  /** BCP 47 tag, such as `zh-CN`. */
  readonly code: string;
  readonly name: string;
  /** The language's name in the language itself. */
  readonly own: string;
}

/** The languages that the bridge offers by name. An agent may support others. */
export const languages: readonly Language[] = [
  { code: 'en', name: 'English', own: 'English' },
  { code: 'zh-CN', name: 'Chinese', own: '中文' },
  { code: 'ja', name: 'Japanese', own: '日本語' },
  { code: 'de', name: 'German', own: 'Deutsch' },
  { code: 'fr', name: 'French', own: 'Français' },
  { code: 'es', name: 'Spanish', own: 'Español' },
];

/** Created on first use, because loading the language data takes 15 ms, which would delay the start. */
let names: Intl.DisplayNames | undefined;

const nameOf = (code: string): string | undefined => {
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  return names.of(code);
};

/** Returns the canonical BCP 47 code; undefined if the language is unknown. */
export function canonicalLanguage(tag: string): string | undefined {
  try {
    const code = Intl.getCanonicalLocales(tag)[0];
    return code === undefined || nameOf(code) === undefined ? undefined : code;
  } catch {
    return undefined;
  }
}

/** Returns the English name; the code itself if it has no name. */
export function languageName(code: string): string {
  try {
    return nameOf(code) ?? code;
  } catch {
    return code;
  }
}
