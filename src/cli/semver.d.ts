/** The one function of semver that Parley calls. The package has no types of its own. */
declare module 'semver' {
  export function satisfies(
    version: string,
    range: string,
    options: { readonly includePrerelease: boolean },
  ): boolean;
}
