/** Imports a package that an installation may leave out. Throws an error that names the cure if it is missing. */
export async function optionalPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.startsWith(`Cannot find package '${name}'`))) throw cause;
    const why = `the optional package ${name} is not installed. Run npm install ${name}.`;
    throw new Error(why, { cause });
  }
}
