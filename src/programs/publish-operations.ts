import { type Operation, operation } from "./program.ts";

const publishes = (
  command: string,
  what: string,
  safer: string,
  more: Pick<Operation, "needs" | "unless"> = {},
): Operation => operation("publish", command, what, { safer, ...more });

/** Commands that give something away to everybody, or take it back from them. */
export const publishOperations: readonly Operation[] = [
  publishes(
    "npm|pnpm|bun|deno|lerna|vsce|ovsx|jsr publish|pub|publ|publi|publis",
    "publish a package to everybody",
    "npm publish --dry-run",
  ),
  publishes("yarn publish", "publish a package to everybody", "yarn pack --dry-run"),
  publishes("yarn …npm publish", "publish a package to everybody", "yarn pack --dry-run"),
  publishes("pnpm …publish", "publish packages to everybody", "pnpm publish --dry-run"),
  publishes("npm|pnpm unpublish|deprecate", "take a published package away", "npm view {rest}"),
  publishes("npm dist-tag|owner add|rm", "change a published package", "npm dist-tag ls"),
  publishes("npm access", "change who may publish", "npm access list packages"),
  publishes("changeset publish", "publish packages to everybody", "changeset status"),
  publishes("cargo publish", "publish a crate to everybody", "cargo publish --dry-run"),
  publishes("cargo yank", "take a published crate away", "cargo search {rest}", { unless: "undo" }),
  publishes("cargo owner", "change who may publish", "cargo owner --list", { needs: "add remove a r" }),
  publishes("twine upload", "publish a package to everybody", "twine check dist/*"),
  publishes(
    "poetry|flit|hatch|pdm|uv|maturin publish|upload",
    "publish a package to everybody",
    "twine check dist/*",
  ),
  publishes("gem push|yank", "publish or take away a gem", "gem build"),
  publishes("mvn|mvnw …deploy|release:perform", "publish an artifact", "mvn verify"),
  publishes(
    "gradle|gradlew publish|uploadArchives|publishToMavenCentral|publishPlugins",
    "publish an artifact",
    "gradle publishToMavenLocal",
  ),
  publishes("dotnet nuget push|delete", "publish a package to everybody", "dotnet pack"),
  publishes("nuget push|delete", "publish a package to everybody", "nuget pack"),
  publishes("pod trunk push|delete", "publish a pod to everybody", "pod lib lint"),
  publishes("setup.py upload", "publish a package to everybody", "twine check dist/*"),
  publishes("anaconda|luarocks|stack|cabal upload", "publish a package to everybody", "{tool} --help"),
  publishes("helm push", "publish a chart", "helm package ."),
  publishes("ansible-galaxy collection|role publish|import", "publish a collection", "ansible-galaxy --help"),
  publishes("dart|flutter pub publish", "publish a package to everybody", "dart pub publish --dry-run"),
  publishes("mix hex.publish", "publish a package to everybody", "mix hex.build"),
  publishes("semantic-release|release-it|np", "publish a release", "semantic-release --dry-run"),
  publishes("goreleaser release", "publish a release", "goreleaser release --snapshot", {
    unless: "snapshot skip-publish skip",
  }),
];
