import type { Verb, VerbTable } from "./verb.ts";

const verb = (
  command: string,
  what: string,
  safer: string,
  more: Omit<Verb, "rule" | "command" | "what"> = {},
): Verb => ({ rule: "publish", command, what, safer, ...more });

const VERBS: readonly Verb[] = [
  verb(
    "npm|pnpm|bun|deno|lerna|vsce|ovsx|jsr publish|pub|publ|publi|publis",
    "publish a package to everybody",
    "npm publish --dry-run",
  ),
  verb("yarn publish", "publish a package to everybody", "yarn pack --dry-run"),
  verb("yarn …npm publish", "publish a package to everybody", "yarn pack --dry-run"),
  verb("pnpm …publish", "publish packages to everybody", "pnpm publish --dry-run"),
  verb("npm|pnpm unpublish|deprecate", "take a published package away", "npm view {rest}"),
  verb("npm dist-tag|owner add|rm", "change a published package", "npm dist-tag ls"),
  verb("npm access", "change who may publish", "npm access list packages"),
  verb("changeset publish", "publish packages to everybody", "changeset status"),
  verb("cargo publish", "publish a crate to everybody", "cargo publish --dry-run"),
  verb("cargo yank", "take a published crate away", "cargo search {rest}", { unless: "undo" }),
  verb("cargo owner", "change who may publish", "cargo owner --list", { needs: "add remove a r" }),
  verb("twine upload", "publish a package to everybody", "twine check dist/*"),
  verb(
    "poetry|flit|hatch|pdm|uv|maturin publish|upload",
    "publish a package to everybody",
    "twine check dist/*",
  ),
  verb("gem push|yank", "publish or take away a gem", "gem build"),
  verb("mvn|mvnw …deploy|release:perform", "publish an artifact", "mvn verify"),
  verb(
    "gradle|gradlew publish|uploadArchives|publishToMavenCentral|publishPlugins",
    "publish an artifact",
    "gradle publishToMavenLocal",
  ),
  verb("dotnet nuget push|delete", "publish a package to everybody", "dotnet pack"),
  verb("nuget push|delete", "publish a package to everybody", "nuget pack"),
  verb("pod trunk push|delete", "publish a pod to everybody", "pod lib lint"),
  verb("setup.py upload", "publish a package to everybody", "twine check dist/*"),
  verb("anaconda|luarocks|stack|cabal upload", "publish a package to everybody", "{tool} --help"),
  verb("helm push", "publish a chart", "helm package ."),
  verb("ansible-galaxy collection|role publish|import", "publish a collection", "ansible-galaxy --help"),
  verb("dart|flutter pub publish", "publish a package to everybody", "dart pub publish --dry-run"),
  verb("mix hex.publish", "publish a package to everybody", "mix hex.build"),
  verb("semantic-release|release-it|np", "publish a release", "semantic-release --dry-run"),
  verb("goreleaser release", "publish a release", "goreleaser release --snapshot", {
    unless: "snapshot skip-publish skip",
  }),
];

export const publishVerbs: VerbTable = {
  verbs: VERBS,
  options: {
    npm: {
      values: "-w tag registry access otp workspace prefix",
      flags: "dry-run workspaces",
      abbreviates: false,
    },
    pnpm: {
      values: "-FC tag registry access otp filter dir",
      flags: "-r dry-run recursive",
      abbreviates: false,
    },
    cargo: {
      values: "-p package token registry vers|version manifest-path target",
      flags: "dry-run|n undo list allow-dirty",

      abbreviates: false,
    },
  },
};
