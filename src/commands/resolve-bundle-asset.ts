import { CommandError, defineCommand, usageError } from "../cli/index.ts";
import { ownValue } from "../protocol/index.ts";
import { loadBundleAsset } from "../recipes/index.ts";

export const command = defineCommand({
  name: "resolve-bundle-asset",
  summary: "print where a file of a bundle of recipes is",
  details: `
Looks in AMPLIHACK_HOME, in ~/.amplihack and in the repository of the working directory. Exit 1 where there is no such
file, 2 for a path that is not allowed.`,
  positionals: [{ name: "ASSET", summary: "a path that begins with amplifier-bundle/, or a name" }],
  options: {},
  forAgents: "passes",
  examples: {
    "amplihack resolve-bundle-asset amplifier-bundle/tools/statusline.sh": "prints the whole path",
  },
  async run({ positionals, system, terminal }) {
    const [asset = ""] = positionals;
    const { assetPathProblem, findBundleAsset, NAMED_ASSETS } = await loadBundleAsset();
    const named = ownValue(NAMED_ASSETS, asset);
    const names = Object.keys(NAMED_ASSETS).join(", ");
    const notFound = (message: string) =>
      new CommandError(message, { kind: "not-found", fix: "set AMPLIHACK_HOME to the place of the bundle" });
    if (named === undefined && !asset.includes("/"))
      throw notFound(`there is no asset named '${asset}'; known are ${names}`);
    const problem = assetPathProblem(named ?? asset);
    if (problem !== undefined) throw usageError(`'${asset}' cannot be a file of a bundle: ${problem}`);
    const found = findBundleAsset(system, named ?? asset);
    if (found === undefined) throw notFound(`there is no ${named ?? asset} in any bundle`);
    terminal.print(`${found}\n`);
    return 0;
  },
});
