import {
  appendOutput,
  describe,
  dropKnown,
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
import { commands, type Field, type ParsedCall, type Program, program } from "../model/program.ts";
import { runString } from "../model/run.ts";
import { runJavaScript } from "./languages.ts";
import { compile } from "./other-languages.ts";
import { runPrefix } from "./prefixes.ts";
import { runScripts } from "./tasks.ts";

const EXEC: OptionGrammar = {
  flags:
    "-yqr yes no silent quiet ws include-workspace-root bun parallel recursive dry-run workspaces help|h version provenance json no-git-checks ignore-scripts",
  values: "-pwF package c|call workspace C|prefix|dir|cwd filter shell-mode tag registry access otp",
  abbreviates: false,
};

/** Packages without which a machine does not start, or can no longer be reached or mended. */
const VITAL =
  "python3|python3-minimal|libc6|libc-bin|glibc|musl|bash|dash|coreutils|base|busybox|systemd*|sudo|openssh-server|linux-image*|linux|kernel*|apt|dpkg|rpm|dnf|pacman|network-manager|NetworkManager|filesystem|util-linux|login|init|*[*]*";

/** Package managers: what they run, and what they publish. */
export const packages: Field = {
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    {
      ...manager("npm", "exec x"),
      harmless: { reads: "ls list outdated view", runs: "test" },
      shows: "help config root prefix bin why explain search info show whoami ping doctor",
      tool: call => toolBehind(call, "exec"),
      operations: [
        "publish publish|pub|publ|publi|publis | publish a package to everybody | safer npm publish --dry-run | stops pnpm publish",
        "publish unpublish|deprecate | unpublish a package | safer npm view {rest} | stops npm unpublish",
        "publish dist-tag|owner add|rm | change a published package | safer npm dist-tag ls | stops npm dist-tag add",
        "publish access public|restricted|set|grant|revoke|edit|2fa-* | change who may publish | safer npm access list packages | stops npm access public",
        "sec.keychain config get *:_auth*|*:_password | show a token of the registry | stops npm config get //registry.example/:_authToken web | passes npm config get help web",
        "sec.keychain token create | make a token | stops npm token create web | passes npm token help web",
      ],
    },
    {
      ...manager("pnpm", "dlx exec"),
      shows: "list ls why outdated root bin view info",
      tool: call => toolBehind(call),
      operations: [
        "publish publish|pub|publ|publi|publis | publish a package to everybody | safer npm publish --dry-run | stops bun publish",
        "publish recursive|multi|m publish | publish packages to everybody | safer pnpm publish --dry-run | stops pnpm recursive publish",
        "publish unpublish|deprecate | unpublish a package | safer npm view {rest} | stops pnpm unpublish",
      ],
    },
    {
      ...manager("yarn", "dlx exec"),
      shows: "list why info versions",
      tool: call => toolBehind(call),
      operations: [
        "publish publish | publish a package to everybody | safer yarn pack --dry-run | stops yarn publish",
        "publish …npm publish | publish a package to everybody | safer yarn pack --dry-run | stops yarn npm publish",
      ],
    },
    {
      ...manager("bun", "x", runJavaScript),
      tool: call => toolBehind(call, "x"),
      operations: [
        "publish publish|pub|publ|publi|publis | publish a package to everybody | safer npm publish --dry-run | stops deno publish",
      ],
    },
    manager("pipx", "run"),
    program("npx bunx pnpx uvx", "readsNothing runsPackage mayRunPackage", {
      options: { ...EXEC, stopsAtOperand: true },
      run: runPackage,
      tool: call => toolBehind(call),
    }),
    program("cargo", "readsNothing dangerous", {
      takes: "publish package",
      runsFiles: "*",
      run: compile,
      harmless: { runs: "build check test clippy" },
      shows: "tree metadata search version help locate-project read-manifest pkgid",
      options: {
        values:
          "-pFjZ package token registry vers|version manifest-path target target-dir features index config jobs",
        flags:
          "dry-run|n undo list allow-dirty no-verify all-features locked offline workspace help|h -ar add remove",
        abbreviates: false,
      },
      shellOptions: {
        names: "config",
        prefix: /^[\w.'"-]*(?:runner|linker|wrapper|rustc|rustdoc)["']?\s*=\s*[["']*/,
      },
      rewrite: argv => argv.filter((word, index) => index !== 1 || !knownPrefix(word).startsWith("+")),
      operations: [
        "publish publish | publish a crate to everybody | safer cargo publish --dry-run | stops cargo publish",
        "publish yank | yank a published crate | unless undo | safer cargo search {rest} | stops cargo yank",
        "publish owner | change who may publish | needs add remove a r | safer cargo owner --list | stops cargo owner --add",
      ],
    }),
    program("gem twine flit", "", {
      options: {
        flags: "help|h dry-run build skip-existing verbose",
        values:
          "-puvrisC version platform host otp key username password repository directory sign-with identity",
        abbreviates: false,
      },
      operations: [
        "twine: publish upload | publish a package to everybody | safer twine check dist/* | stops twine upload",
        "flit: publish publish|upload | publish a package to everybody | safer twine check dist/* | stops flit publish",
        "gem: publish push|yank | publish or yank a gem | safer gem build | stops gem push",
      ],
    }),
    program("composer", "", { runsFiles: "*", tool: call => toolBehind(call, "exec") }),
    program("dotnet", "", {
      runsFiles: "*",
      run: compile,
      tool: call => toolBehind(call),
      operations: [
        "publish nuget push|delete | publish a package to everybody | safer dotnet pack | stops dotnet nuget push",
        "db.reset ef database drop | drop the database | safer dotnet ef migrations list | stops dotnet ef database drop",
      ],
    }),
    program("brew", "readsNothing installsPackages", {
      shows: "list info search deps uses config doctor leaves outdated",
      operations: [
        "fs.system-write uninstall|remove|rm | take away every listed package | ask | of unknown | safer brew list | stops brew uninstall $(brew list) | passes brew uninstall jq",
      ],
    }),
    program("apt apt-get", "readsNothing", {
      shows: "list show search policy",
      options: { values: "-otc option target-release config-file", abbreviates: false },
      shellOptions: { names: "o option", prefix: /^(?=[^=]*-Invoke)[\w:-]+=/i },
      operations: [
        `fs.system-write remove|purge …${VITAL} | remove what the machine needs to run | ask | unless s simulate just-print dry-run no-act recon | safer {tool} list --installed | stops apt remove libc6 | passes apt remove nginx`,
      ],
    }),
    program("snap flatpak", "readsNothing installsPackages", {
      shows: "list info find search connections services changes",
      operations: [
        "fs.system-write remove|uninstall | remove a program with its data | ask | needs purge delete-data | safer {tool} list | stops snap remove --purge code | passes snap remove code",
      ],
    }),
    program("corepack", "readsNothing", {}),
    program("pip pip3", "readsNothing", {
      shows: "list show freeze check help",
      runsFiles: "*.py *.toml *.cfg",
    }),
    program("dpkg", "", {
      shows: "-l -L -s --list --status --listfiles",
      operations: [
        `fs.system-write …${VITAL} | remove what the machine needs to run | ask | needs r P remove purge | unless dry-run no-act simulate | safer dpkg --list | stops dpkg -P libc6 | passes dpkg -P nginx`,
      ],
    }),
    commands([
      "lerna vsce ovsx jsr: publish publish|pub|publ|publi|publis | publish a package to everybody | safer npm publish --dry-run | stops lerna publish",
      "changeset: publish publish | publish packages to everybody | safer changeset status | stops changeset publish",
      "maturin: publish publish|upload | publish a package to everybody | safer twine check dist/* | stops maturin publish",
      "nuget: publish push|delete | publish a package to everybody | safer nuget pack | stops nuget push",
      "pod: publish trunk push|delete | publish a pod to everybody | safer pod lib lint | stops pod trunk push",
      "setup.py: publish upload | publish a package to everybody | safer twine check dist/* | stops setup.py upload",
      "anaconda luarocks: publish upload | publish a package to everybody | safer {tool} --help | stops anaconda upload",
      "ansible-galaxy: publish collection|role publish|import | publish a collection | safer ansible-galaxy --help | stops ansible-galaxy collection publish",
      "dart flutter: publish pub publish | publish a package to everybody | safer dart pub publish --dry-run | stops dart pub publish",
      `dnf dnf5 yum microdnf zypper: fs.system-write remove|erase|rm …${VITAL} | remove what the machine needs to run | ask | unless dry-run assumeno | safer rpm -qa | stops dnf remove glibc | passes dnf remove nginx`,
      `apk: fs.system-write del …${VITAL} | remove what the machine needs to run | ask | unless s simulate | safer apk list | stops apk del musl | passes apk del curl`,
      `pacman yay paru: fs.system-write …${VITAL} | remove what the machine needs to run | ask | needs R remove | unless p print | safer pacman -Q | stops pacman -Rns base | passes pacman -Rns nginx`,
      `rpm: fs.system-write …${VITAL} | remove what the machine needs to run | ask | needs e erase | unless test | safer rpm -qa | stops rpm -e glibc | passes rpm -q glibc`,
      "ansible-pull: pkg.address - | run what a repository holds at that moment | needs U url | safer git ls-remote {rest} | stops ansible-pull -U https://x.example/y",
      "rpm: pkg.address http:*|https:* | install what an address holds at that moment | needs i U F install upgrade | unless q query | safer rpm -qip {rest} | stops rpm -i https://x.example/y.rpm | passes rpm -qip https://x.example/y.rpm",
      "release-it np: publish - | publish a release | safer semantic-release --dry-run | stops release-it",
    ]),
  ],
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
    ...(names === "pipx" ? {} : { takes: "publish pub pack" }),
    run(call) {
      const before = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true });
      const [first] = before.operands;
      const directory = before.valueOf("C");
      const there = directory === undefined ? call : { ...call, cwd: joinPath(call.cwd, directory) };
      if (first === undefined || !subcommands.includes(knownText(first.value) ?? "")) {
        runScripts(names, before.operandValues, there);
        // `npm pkg set scripts.postinstall='…'`: whoever installs runs it.
        for (const word of first !== undefined && describe(first.value) === "pkg" ? before.operandValues : [])
          runScriptText(word, there);
        return otherwise(call) ?? [unknownOutput(call)];
      }
      return runPackage({ ...there, argv: [text(names), ...call.argv.slice(first.index + 1)] });
    },
  };
}

function runScriptText(word: Value, call: ParsedCall): void {
  const name = /^scripts\.[\w:-]+=/.exec(knownPrefix(word))?.[0];
  if (name !== undefined) runString(dropKnown(word, name.length), call);
}

/** `-c TEXT` is a shell string; otherwise the first operand is the program. */
function runPackage(call: ProgramCall): Output {
  const codes = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true }).valuesOf("c");
  if (codes.length > 0) return codes.map(code => runString(code, call)).reduce(appendOutput, NO_OUTPUT);
  // `yarn exec 'rm -rf x'`: no program has a blank in its name.
  const [first] = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true }).operandValues;
  if (first !== undefined && /\S\s+\S/.test(describe(first))) return runString(first, call);
  return runPrefix({ options: EXEC, cells: { package: "" } }, call);
}

const OWN_VERB =
  /^(publish|npm|unpublish|deprecate|install|add|remove|run|test|build|nuget|ef|-r|recursive|workspaces|config)$/;

/** `yarn prisma …` is the tool of that name, unless the word is one of its own; `verb` must stand in front. */
function toolBehind({ program, argv, options }: ParsedCall, verb?: string): readonly Value[] | undefined {
  const [first, second] = options.operands;
  if (verb !== undefined && (first === undefined || describe(first.value) !== verb)) return undefined;
  const tool = verb === undefined ? first : second;
  if (tool === undefined) return undefined;
  const isOwn = /^(yarn|pnpm|dotnet)$/.test(program) && OWN_VERB.test(describe(tool.value));
  return isOwn ? undefined : argv.slice(tool.index);
}
