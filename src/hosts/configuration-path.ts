import { isAbsolute, join } from "../system/paths.ts";
import type { ConfigurationFile, EnvironmentReader, Registration } from "./host.ts";

/** Where a configuration file of a host really is: below the project, or below the home or where users moved it. */
export function configurationPath(
  { relocation }: Registration,
  file: ConfigurationFile,
  places: { readonly home: string; readonly projectRoot: string },
  env: EnvironmentReader,
): string {
  if (file.scope === "project") return join(places.projectRoot, file.path);
  const moved = relocation === undefined ? "" : (env.get(relocation.variable) ?? "");
  if (relocation === undefined || !isAbsolute(moved) || moved.split("/").includes(".."))
    return join(places.home, file.path);
  return join(moved, file.path.slice(relocation.folder.length));
}
