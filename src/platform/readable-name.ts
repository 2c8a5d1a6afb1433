/** What no person reads: the number or UUID of a file or document (platform contract CHL-18). */
const onlyId = /^\s*(?:(?:file_id:)?\d{9,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\s*$/i;

/** The name that a thing has for people; nothing where it is blank or only its id in another place. */
export function readableName(name: string | undefined, id?: string): string | undefined {
  return name === undefined || name.trim() === '' || name.trim() === id || onlyId.test(name)
    ? undefined
    : name;
}
