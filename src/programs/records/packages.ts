import {
  appendOutput,
  describe,
  joinPath,
  knownPrefix,
  knownText,
  NO_OUTPUT,
  type OptionGrammar,
  type Output,
  type ProgramCall,
  parseOptions,
  text,
  unknownOutput,
  type Value,
} from "../../shell/index.ts";
import { runPrefix } from "../model/prefix.ts";
import type { Field, OperationTables, ParsedCall, Program } from "../model/program.ts";
import { runString } from "../model/run.ts";
import { runJavaScript } from "./languages.ts";
import { runScripts } from "./package-scripts.ts";

const EXEC: OptionGrammar = {
  flags:
    "-yqr yes no silent quiet ws include-workspace-root bun parallel recursive dry-run workspaces help|h version provenance json no-git-checks ignore-scripts",
  values: "-pwF package c|call workspace C|prefix|dir|cwd filter shell-mode tag registry access otp",
  abbreviates: false,
};

/** Commands that give something away to everybody, or take it back from them. */
const PUBLISHING: OperationTables = {
  publish: `
    npm|pnpm|bun|deno|lerna|vsce|ovsx|jsr publish|pub|publ|publi|publis | publish a package to everybody | safer npm
        publish --dry-run
    yarn publish | publish a package to everybody | safer yarn pack --dry-run
    yarn …npm publish | publish a package to everybody | safer yarn pack --dry-run
    pnpm recursive|multi|m publish | publish packages to everybody | safer pnpm publish --dry-run
    npm|pnpm unpublish|deprecate | take a published package away | safer npm view {rest}
    npm dist-tag|owner add|rm | change a published package | safer npm dist-tag ls
    npm access public|restricted|set|grant|revoke|edit|2fa-* | change who may publish | safer npm access list packages
    changeset publish | publish packages to everybody | safer changeset status
    cargo publish | publish a crate to everybody | safer cargo publish --dry-run
    cargo yank | take a published crate away | unless undo | safer cargo search {rest}
    cargo owner | change who may publish | needs add remove a r | safer cargo owner --list
    twine upload | publish a package to everybody | safer twine check dist/*
    poetry|flit|hatch|pdm|uv|maturin publish|upload | publish a package to everybody | safer twine check dist/*
    gem push|yank | publish or take away a gem | safer gem build
    mvn|mvnw …deploy|release:perform | publish an artifact | safer mvn verify
    gradle|gradlew publish|uploadArchives|publishToMavenCentral|publishPlugins | publish an artifact | safer gradle
        publishToMavenLocal
    dotnet nuget push|delete | publish a package to everybody | safer dotnet pack
    nuget push|delete | publish a package to everybody | safer nuget pack
    pod trunk push|delete | publish a pod to everybody | safer pod lib lint
    setup.py upload | publish a package to everybody | safer twine check dist/*
    anaconda|luarocks|stack|cabal upload | publish a package to everybody | safer {tool} --help
    helm push | publish a chart | safer helm package .
    ansible-galaxy collection|role publish|import | publish a collection | safer ansible-galaxy --help
    dart|flutter pub publish | publish a package to everybody | safer dart pub publish --dry-run
    mix hex.publish | publish a package to everybody | safer mix hex.build
    semantic-release|release-it|np | publish a release | safer semantic-release --dry-run
    goreleaser release | publish a release | unless snapshot skip-publish skip | safer goreleaser release --snapshot
  `,
};

/** Package managers: what they run, and what they publish. */
export const packages: Field = {
  programs: () => [
    { ...manager("npm", "exec x"), tool: call => toolBehind(call, "exec") },
    { ...manager("pnpm", "dlx exec"), tool: call => toolBehind(call) },
    { ...manager("yarn", "dlx exec"), tool: call => toolBehind(call) },
    { ...manager("bun", "x", runJavaScript), tool: call => toolBehind(call, "x") },
    manager("pipx", "run"),
    {
      names: "npx bunx pnpx uvx",
      is: ["readsNothing", "runsPackage", "mayRunPackage"],
      options: { ...EXEC, stopsAtOperand: true },
      run: runPackage,
      tool: call => toolBehind(call),
    },
    {
      names: "cargo",
      is: ["readsNothing", "dangerous"],
      options: {
        values:
          "-pFjZ package token registry vers|version manifest-path target target-dir features index config jobs",
        flags: "dry-run|n undo list allow-dirty no-verify all-features locked offline workspace help|h",
        abbreviates: false,
      },
      // `cargo +nightly publish`
      rewrite: argv => argv.filter((word, index) => index !== 1 || !knownPrefix(word).startsWith("+")),
    },
    {
      names: "gem twine flit",
      options: {
        flags: "help|h dry-run build skip-existing verbose",
        values:
          "-puvrisC version platform host otp key username password repository directory sign-with identity",
        abbreviates: false,
      },
    },
    { names: "composer", tool: call => toolBehind(call, "exec") },
    { names: "dotnet", tool: call => toolBehind(call) },
    { names: "brew", is: ["readsNothing", "installsPackages"] },
    {
      names: "apt apt-get",
      is: ["readsNothing"],
      options: { values: "-otc option target-release config-file", abbreviates: false },
      shellOptions: { names: "o option", prefix: /^[\w:-]*-Invoke[\w:-]*=/i },
    },
    { names: "pip pip3", is: ["readsNothing"] },
  ],
  operations: PUBLISHING,
};

/** A subcommand runs a program: `npm exec`, `pnpm dlx`, `bun x`; others run what the manifest says. */
function manager(
  names: string,
  runners: string,
  otherwise: (call: ParsedCall) => Output | undefined = () => undefined,
): Program {
  const subcommands = runners.split(" ");
  return {
    names,
    is:
      names === "pipx"
        ? ["readsNothing"]
        : names === "npm" || names === "bun"
          ? ["readsNothing", "mayRunPackage", "installsPackages", "dangerous"]
          : ["readsNothing", "mayRunPackage", "installsPackages"],
    options: EXEC,
    run(call) {
      const before = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true });
      const [first] = before.operands;
      const directory = before.valueOf("C");
      const there = directory === undefined ? call : { ...call, cwd: joinPath(call.cwd, directory) };
      if (first === undefined || !subcommands.includes(knownText(first.value) ?? "")) {
        runScripts(names, before.operandValues, there);
        return otherwise(call) ?? [unknownOutput(call)];
      }
      return runPackage({ ...there, argv: [text(names), ...call.argv.slice(first.index + 1)] });
    },
  };
}

/** `-c TEXT` is a shell string; otherwise the first operand is the program. */
function runPackage(call: ProgramCall): Output {
  const codes = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true }).valuesOf("c");
  if (codes.length > 0) return codes.map(code => runString(code, call)).reduce(appendOutput, NO_OUTPUT);
  return runPrefix({ options: EXEC, cells: { package: "" } }, call);
}

const OWN_VERB =
  /^(publish|npm|unpublish|deprecate|install|add|remove|run|test|build|nuget|ef|-r|recursive|workspaces)$/;

/** `yarn prisma …` is the tool of that name, unless the word is one of its own; `verb` must stand in front. */
function toolBehind({ program, argv, options }: ParsedCall, verb?: string): readonly Value[] | undefined {
  const [first, second] = options.operands;
  if (verb !== undefined && (first === undefined || describe(first.value) !== verb)) return undefined;
  const tool = verb === undefined ? first : second;
  if (tool === undefined) return undefined;
  const isOwn = /^(yarn|pnpm|dotnet)$/.test(program) && OWN_VERB.test(describe(tool.value));
  return isOwn ? undefined : argv.slice(tool.index);
}
